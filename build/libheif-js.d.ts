declare module 'libheif-js/wasm-bundle.js' {
  interface Pixels {
    /** Four bytes a pixel: red, green, blue, opacity. */
    data: Uint8ClampedArray;
    width: number;
    height: number;
  }
  interface HeifImage {
    get_width(): number;
    get_height(): number;
    /** Fills `pixels`, upright; calls back with null where it cannot. */
    display(pixels: Pixels, shown: (pixels: Pixels | null) => void): void;
  }
  const libheif: { HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] } };
  export default libheif;
}
