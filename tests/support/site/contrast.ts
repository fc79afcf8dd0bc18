/** The contrast of two colours, as red, green and blue from 0 to 255, as WCAG 2.2 defines it. */
export function contrast(colours: number[][]): number {
  const [bright = 0, dim = 0] = colours.map(luminance).sort((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

function luminance(colour: number[]): number {
  const [r = 0, g = 0, b = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
