/** The 16 colours of a terminal as xterm has them, in the order of their numbers. */
const COLOURS: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

/** Number of the terminal colour that is nearest: themes name no others, and theirs can be read on their background. */
export function nearestColour(rgb: string): number {
  const [r = 0, g = 0, b = 0] = rgb.split(',').map(Number);
  let best = 0;
  let least = Infinity;
  COLOURS.forEach((colour, number) => {
    const distance = (colour[0] - r) ** 2 + (colour[1] - g) ** 2 + (colour[2] - b) ** 2;
    if (distance < least) [best, least] = [number, distance];
  });
  return best;
}
