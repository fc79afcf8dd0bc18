import { type PointerEvent, useContext, useEffect, useRef, useState } from 'react';
import { Editing } from './fields.tsx';
import { desk, NotSaved } from './words-client.ts';

/** The page shows it at 4:5, and at most this wide in device pixels. */
const WIDTH = 1664;
const HEIGHT = (WIDTH * 5) / 4;

/** As in build/founder-photo.ts, which needs Node. */
const LEAST = { width: 416, height: 520 };

const HEIC =
  'This browser can’t open a HEIC file. On the iPhone, open it, tap Share, then “Save as JPEG” or send it to yourself by mail; on a Mac, open it in Preview and export it as a JPEG.';

/** Her photo: choose or drop a file, place the frame, use it. The browser decodes it, so nothing else of the file is kept. */
export function PhotoField({
  hasPhoto,
  dropped,
  onDone,
}: {
  hasPhoto: boolean;
  dropped?: File;
  onDone?: () => void;
}) {
  const { ask } = useContext(Editing);
  const [image, setImage] = useState<ImageBitmap>();
  const [place, setPlace] = useState({ x: 0.5, y: 0.5, zoom: 1 });
  const [why, setWhy] = useState('');
  const canvas = useRef<HTMLCanvasElement>(null);

  async function read(file: File | undefined) {
    if (!file) return;
    setWhy('');
    setImage(undefined);
    try {
      const decoded = await createImageBitmap(file);
      if (decoded.width < LEAST.width || decoded.height < LEAST.height)
        return setWhy(
          `It’s only ${decoded.width} × ${decoded.height} pixels. Choose one of at least ${LEAST.width} × ${LEAST.height}.`,
        );
      setImage(decoded);
      setPlace({ x: 0.5, y: 0.5, zoom: 1 });
    } catch {
      setWhy(
        /\.hei[cf]$/i.test(file.name)
          ? HEIC
          : 'This browser can’t open that file as a picture. Choose a JPEG or a PNG.',
      );
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another file is read
  useEffect(() => void read(dropped), [dropped]);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (image && context) draw(context, image, place);
  }, [image, place]);

  async function use(photo: Blob | undefined | null) {
    try {
      await ask(() => desk.setPhoto(photo ?? undefined));
      setImage(undefined);
      onDone?.();
    } catch (error) {
      if (!(error instanceof NotSaved)) throw error;
      setWhy(error.message);
    }
  }

  function drag({ buttons, movementX, movementY }: PointerEvent) {
    if (buttons !== 1) return;
    const shown = canvas.current?.clientWidth ?? WIDTH;
    const by = (moved: number, at: number) => Math.min(1, Math.max(0, at - moved / shown));
    setPlace(({ x, y, zoom }) => ({ x: by(movementX, x), y: by(movementY, y), zoom }));
  }

  const slider = (label: string, name: keyof typeof place, least: number, most: number) => (
    <label className="line">
      {label}
      <input
        type="range"
        min={least}
        max={most}
        step="0.01"
        value={place[name]}
        onChange={({ target }) => setPlace({ ...place, [name]: Number(target.value) })}
      />
    </label>
  );

  return (
    <div className="leaf photo">
      <label className="line">
        Choose a photo, or drop it on the portrait
        <input
          type="file"
          accept="image/*,.heic,.heif"
          onChange={({ target }) => void read(target.files?.[0])}
        />
      </label>
      <p className="why" role="alert">
        {why}
      </p>
      {image && (
        <>
          <canvas
            ref={canvas}
            width={WIDTH}
            height={HEIGHT}
            onPointerMove={drag}
            aria-label="What the page will show"
          />
          {slider('Closer', 'zoom', 1, 4)}
          {slider('Left or right', 'x', 0, 1)}
          {slider('Up or down', 'y', 0, 1)}
          <p className="hint">The place and time of the picture, which the file may hold, are left out.</p>
          <button
            type="button"
            className="button"
            onClick={() => canvas.current?.toBlob((blob) => void use(blob), 'image/jpeg', 0.95)}
          >
            Use this photo
          </button>
        </>
      )}
      {hasPhoto && !image && (
        <button type="button" onClick={() => void use(undefined)}>
          Show the drawing instead
        </button>
      )}
    </div>
  );
}

/** The part of the image that the frame shows: as much as fits at zoom 1. */
function draw(
  context: CanvasRenderingContext2D,
  image: ImageBitmap,
  { x, y, zoom }: Record<'x' | 'y' | 'zoom', number>,
) {
  const scale = Math.max(WIDTH / image.width, HEIGHT / image.height) * zoom;
  const [width, height] = [WIDTH / scale, HEIGHT / scale];
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.drawImage(
    image,
    (image.width - width) * x,
    (image.height - height) * y,
    width,
    height,
    0,
    0,
    WIDTH,
    HEIGHT,
  );
}
