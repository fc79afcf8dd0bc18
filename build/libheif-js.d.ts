declare module 'libheif-js/libheif-wasm/libheif-bundle.js' {
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
  interface Libheif {
    HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] };
  }
  export default function open(outputs: { print(line: string): void; printErr(line: string): void }): Libheif;
}
