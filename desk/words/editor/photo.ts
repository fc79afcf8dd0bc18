/** In pixels, of the longer side. */
const MOST = 2_000;
/** Of the shorter one, however wide a picture is: the height of publish/photo.ts's `MADE`, which no browser can load. */
const LEAST = 1_040;

/** A small, upright JPEG of what the browser can read, which is more than the desk can. @throws an Error that says what to do */
export async function jpegOf(file: File): Promise<Blob> {
  const image = await createImageBitmap(file).catch(() => {
    throw new Error(
      'This browser can’t open that file as a picture. Choose a JPEG or a PNG. An iPhone’s HEIC file becomes a JPEG when you send it to yourself by email.',
    );
  });
  const { width, height } = image;
  const scale = Math.min(1, Math.max(MOST / Math.max(width, height), LEAST / Math.min(width, height)));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  const cannotDraw = new Error('This browser can’t draw pictures. Try another one.');
  if (!context) throw cannotDraw;
  // JPEG has no transparency.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((jpeg) => (jpeg ? resolve(jpeg) : reject(cannotDraw)), 'image/jpeg', 0.92),
  );
}
