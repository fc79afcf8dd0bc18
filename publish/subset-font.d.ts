declare module 'subset-font' {
  interface Options {
    targetFormat?: 'truetype' | 'woff2';
    /** A number pins the axis; a range keeps it variable within those bounds. */
    variationAxes?: Record<string, number | { min: number; max: number }>;
    /** OpenType tags; all features if left out. */
    keepFeatures?: string[];
  }
  /** Reduces `font` to the glyphs of `text`. */
  export default function subsetFont(font: Buffer, text: string, options?: Options): Promise<Buffer>;
}
