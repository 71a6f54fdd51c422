import { createHash } from 'node:crypto';
import { createRandom } from './random';
import { joinRows, type LooseFields, readRow, type RowText, setField, splitRows } from './rowText';

/**
 * Adds progress to a transcript as old clients wrote it: chains of rows below other rows, some of which take the place of the parent.
 * Some are odd: of a lost parent, behind their child, their own parent, with the uuid of another one, on the last line without its
 * newline, or named by the `last-prompt`. The same seed and bytes give the same rows.
 */
export function addProgress(original: Buffer, seed: number): Buffer {
  const random = createRandom(seed + 77_000);
  const rows = [...splitRows(original)];
  const count = 1 + random.below(8);
  for (let chain = 0; chain < count; chain++) {
    const at = random.below(rows.length);
    const above = readRow(rows[at] ?? '');
    if (above === null || typeof above.uuid !== 'string' || rows[at]?.endsWith('\n') !== true) continue;
    const name = (step: number): string => uuidFor(`${seed} ${chain} ${step}`);
    const length = 1 + random.below(4);
    const isLost = random.chance(0.1);
    const added = Array.from({ length }, (_, step) => {
      const parent = step > 0 ? name(step - 1) : isLost ? uuidFor('lost') : above.uuid;
      return progressRow(name(step), random.chance(0.03) ? name(step) : parent, above);
    });
    if (random.chance(0.05)) added.push(added[0] ?? '');
    const last = name(length - 1);
    const child = rows.findIndex((row, place) => place > at && readRow(row)?.parentUuid === above.uuid);
    const isInChain = child >= 0 && random.chance(0.6);
    if (isInChain) rows[child] = setField(rows[child] ?? '', 'parentUuid', last);
    if (random.chance(0.1)) {
      const prompt = rows.findLastIndex((row) => readRow(row)?.type === 'last-prompt');
      if (prompt >= 0) rows[prompt] = setField(rows[prompt] ?? '', 'leafUuid', last);
    }
    // Behind its child only sometimes.
    const isBehind = isInChain && rows[child]?.endsWith('\n') === true && random.chance(0.1);
    rows.splice((isBehind ? child : at) + 1, 0, ...added);
  }
  if (random.chance(0.2)) rows[rows.length - 1] = (rows.at(-1) ?? '').replace(/\n$/, '');
  return joinRows(rows);
}

function progressRow(uuid: string, parentUuid: unknown, { isSidechain = false, timestamp }: LooseFields): RowText {
  const data = { type: 'bash_progress', output: 'line 1\nline 2 {"uuid":"x"}', elapsedTimeSeconds: 3 };
  const row = { parentUuid, isSidechain, type: 'progress', data, toolUseID: 'bash-progress-1', uuid, timestamp };
  return `${JSON.stringify(row)}\n`;
}

function uuidFor(name: string): string {
  const hex = createHash('sha256').update(`progress ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
