import { useContext, useEffect, useState } from 'react';
import { Editing } from './fields.tsx';
import { desk, NotSaved } from './words-client.ts';

interface Props {
  hasPhoto: boolean;
  dropped?: File;
  onDone?: () => void;
}

/** Her photo: choose or drop a file. The build cuts it to the frame of the page. */
export function PhotoField({ hasPhoto, dropped, onDone }: Props) {
  const { ask } = useContext(Editing);
  const [why, setWhy] = useState('');

  async function use(file: File | undefined) {
    setWhy('');
    try {
      const photo = file && (await jpegOf(file));
      await ask(() => desk.setPhoto(photo));
      onDone?.();
    } catch (error) {
      if (!(error instanceof NotSaved)) throw error;
      setWhy(error.message);
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another file is used
  useEffect(() => void (dropped && use(dropped)), [dropped]);

  return (
    <div className="leaf">
      <label className="line">
        Choose a photo, or drop it on the portrait
        <input
          type="file"
          accept="image/*,.heic,.heif"
          onChange={({ target }) => void (target.files?.[0] && use(target.files[0]))}
        />
      </label>
      <p className="why" role="alert">
        {why}
      </p>
      {hasPhoto && (
        <button type="button" onClick={() => void use(undefined)}>
          Show the drawing instead
        </button>
      )}
    </div>
  );
}

/** In pixels, of the longer side: enough for the page on any screen. */
const MOST = 2_500;

/**
 * Decoded here, since a browser may read what the build can't, such as HEIC, and made small, so that the desk never gets
 * a huge picture. What the camera noted is left out.
 *
 * @throws NotSaved
 */
async function jpegOf(file: File): Promise<Blob> {
  const image = await createImageBitmap(file).catch(() => undefined);
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (image && context) {
    const scale = Math.min(1, MOST / Math.max(image.width, image.height));
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const jpeg = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.95));
    if (jpeg) return jpeg;
  }
  throw new NotSaved(
    'This browser can’t open that file as a picture. Choose a JPEG or a PNG. An iPhone’s HEIC file becomes a JPEG when you send it to yourself by mail, or export it from Preview on a Mac.',
  );
}
