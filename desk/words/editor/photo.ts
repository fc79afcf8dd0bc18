/** In pixels, of the longer side: enough for the page on any screen. */
const MOST = 2_000;

/**
 * Decoded here, since a browser may read what the desk can't, such as HEIC, and made small, so that the desk never gets a
 * huge picture. It's upright, and what the camera noted is left out.
 *
 * @throws an Error that says what to do
 */
export async function jpegOf(file: File): Promise<Blob> {
  const image = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => undefined);
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
    const jpeg = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.92));
    if (jpeg) return jpeg;
  }
  throw new Error(
    'This browser can’t open that file as a picture. Choose a JPEG or a PNG. An iPhone’s HEIC file becomes a JPEG when you send it to yourself by mail.',
  );
}
