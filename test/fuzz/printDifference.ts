import type { Difference } from './fuzz';

const MAX_SHOWN_BYTES = 2000;

/** Prints how the indexes differ, and for which bytes, in a form that can be pasted into a test. */
export function printDifference({ seed, file, what, smallest }: Difference): void {
  const text = JSON.stringify(smallest.subarray(0, MAX_SHOWN_BYTES).toString('latin1'));
  const rest = smallest.length > MAX_SHOWN_BYTES ? `, and ${smallest.length - MAX_SHOWN_BYTES} bytes more` : '';
  console.log(`\n✖ file ${file} of seed ${seed}: ${what}`);
  console.log(`  smallest: Buffer.from(${text}, 'latin1')${rest}`);
  console.log(`  again: npm run fuzz -- --seed ${seed} --file ${file}\n`);
}
