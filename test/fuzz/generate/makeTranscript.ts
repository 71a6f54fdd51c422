import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { createRandom, type Random } from '../../support/random';
import { ILLEGAL_CHANGES, LEGAL_CHANGES, type TreeChange } from './changeTree';
import { LINE_CHANGES, type LineChange } from './changeLine';
import { isObjectNode, print, toTree, type ObjectNode } from './jsonTree';
import { printSpaced } from './printSpaced';
import { printSpread } from './printSpread';
import { rowNode, rowOfManyCalls } from './rowNode';
import { createScene, oneOf, type Scene } from './scene';

type ChangeKind = 'fields' | 'values' | 'bytes' | 'spaces';

/** How a transcript is corrupted. */
interface Damage {
  readonly hasOddFields: boolean;
  /** The probability that a line is corrupted. */
  readonly odds: number;
  /** Several kinds of corruption at once. */
  readonly isManifold: boolean;
  /** Only a few kinds, so that rows with the same corruption meet. */
  readonly treeChanges: readonly TreeChange[];
  readonly lineChanges: readonly LineChange[];
  readonly recordedOdds: number;
  /** The probability that a row spans several lines. */
  readonly spreadOdds: number;
}

/** A fast scanner reads a row with one error on its fast path up to that error, so these are frequent. */
const DAMAGES: readonly ((random: Random) => Damage)[] = [
  ...Array.from({ length: 4 }, () => (random: Random) => createDamage(random, { hasOddFields: false, odds: 0.7 })),
  ...Array.from({ length: 4 }, () => (random: Random) => createDamage(random, { hasOddFields: true, odds: 0 })),
  (random) => createDamage(random, { hasOddFields: true, odds: 0.3 }),
  (random) => createDamage(random, { hasOddFields: true, odds: 0.7, isManifold: true }),
];

function createDamage(random: Random, own: Pick<Damage, 'hasOddFields' | 'odds'> & Partial<Damage>): Damage {
  return {
    isManifold: false,
    treeChanges: Array.from({ length: 4 }, () => oneOf(random, LEGAL_CHANGES)),
    lineChanges: Array.from({ length: 4 }, () => oneOf(random, LINE_CHANGES)),
    recordedOdds: random.pick([0, 0.1, 0.5]),
    spreadOdds: random.pick([0, 0, 0, 0.1, 0.6]),
    ...own,
  };
}

const MAX_RECORDED_LENGTH = 3000;
const RECORDED = listRecordings()
  .flatMap((file) => readFileSync(join(FIXTURES, file), 'utf8').split('\n'))
  .filter(({ length }) => length > 0 && length < MAX_RECORDED_LENGTH);

/** The transcript for a seed and a number: the same bytes every time. */
export function makeTranscript(seed: number, at: number): Buffer {
  const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b));
  const damage = oneOf(random, DAMAGES)(random);
  const scene = createScene(random, damage.hasOddFields);
  const lines: string[] = [];
  for (let left = 1 + random.below(16); left > 0; left--) {
    const isCopy = lines.length > 0 && random.chance(0.16);
    lines.push(isCopy ? copyOf(oneOf(random, lines), random) : damagedLine(scene, damage, lines));
  }
  if (random.chance(0.01)) lines.splice(random.below(lines.length), 0, extremeLine(scene));
  return Buffer.from(joinLines(lines, random), 'latin1');
}

function damagedLine(scene: Scene, damage: Damage, before: readonly string[]): string {
  const { random } = scene;
  const row = random.chance(damage.recordedOdds) ? recordedRow(random) : rowNode(scene);
  const isSpoilt = random.chance(damage.odds);
  const only = random.pick(['fields', 'fields', 'values', 'values', 'bytes', 'bytes', 'spaces']);
  const does = (change: ChangeKind): boolean => isSpoilt && (damage.isManifold ? random.chance(0.3) : change === only);
  if (does('fields')) oneOf(random, damage.treeChanges)(row, scene);
  if (does('values')) oneOf(random, ILLEGAL_CHANGES)(row, scene);
  const line = does('spaces')
    ? printSpaced(row, random)
    : random.chance(damage.spreadOdds)
      ? printSpread(row, random)
      : print(row);
  return does('bytes') ? oneOf(random, damage.lineChanges)(line, random, [line, ...before]) : line;
}

/** A line again: identical, or different in a byte or in its surroundings. */
function copyOf(line: string, random: Random): string {
  const at = random.below(line.length + 1);
  return random.pick([
    line,
    line,
    line.trimEnd() + random.pick([' ', '\t', '\r']),
    line.trimEnd() + random.pick([' ', '\t', '\r']),
    ` ${line}`,
    line.replace(/"([^"]*)"/, '"$1x"'),
    line.slice(0, at) + 'a' + line.slice(at + 1),
  ]);
}

function recordedRow(random: Random): ObjectNode {
  const tree = toTree(JSON.parse(oneOf(random, RECORDED)));
  return isObjectNode(tree) ? tree : { members: [] };
}

/** Rare and slow cases: a row across the border of a chunk, thousands of calls, many rows. */
function extremeLine(scene: Scene): string {
  const { random } = scene;
  switch (random.pick(['long', 'long', 'calls', 'calls', 'types', 'rows'] as const)) {
    case 'long': {
      const piece = random.pick(['x', '\\\\', '\\"', '\xc3\xa9', '[[],', 'x\\n', '\\u00e9']);
      const text = piece.repeat(Math.floor((250_000 + random.below(20_000)) / piece.length));
      const row = rowNode(scene);
      row.members.splice(random.below(row.members.length + 1), 0, { key: '"x"', value: `"${text}"` });
      return print(row);
    }
    case 'calls':
      return print(rowOfManyCalls(scene));
    case 'types':
      return Array.from(
        { length: 1100 },
        (_, at) => `{"type":"${random.pick(['novelty', 'oddity'])}","uuid":"${at}"}`,
      ).join('\n');
    case 'rows':
      return Array.from({ length: 500 }, () => print(rowNode(createScene(random, random.chance(0.5))))).join('\n');
  }
}

function joinLines(lines: readonly string[], random: Random): string {
  const lineBreak = random.pick(['\n', '\n', '\n', '\n', '\r\n', '\n\n', ' \n']);
  const end = random.chance(0.15) ? '' : lineBreak;
  const start = random.chance(0.05)
    ? random.pick(['\xef\xbb\xbf', '\xef\xbb\xbf\xef\xbb\xbf', '\n', '\0', '\xef\xbb', '\xfe\xff'])
    : '';
  return start + lines.join(lineBreak) + end;
}
