declare module 'libheif-js/libheif-wasm/libheif-bundle.js' {
  interface Pixels {
    /** Four bytes per pixel: red, green, blue, alpha. */
    data: Uint8ClampedArray;
    width: number;
    height: number;
  }
  interface HeifImage {
    get_width(): number;
    get_height(): number;
    /** Fills `pixels` with the upright picture; calls back with null if it can't. */
    display(pixels: Pixels, shown: (pixels: Pixels | null) => void): void;
  }
  interface Libheif {
    HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] };
  }
  export default function open(outputs: { print(line: string): void; printErr(line: string): void }): Libheif;
}
