import { createHash } from 'node:crypto';
import { createRandom, type Random } from './random';
import { joinRows, type LooseFields, readRow, type RowText, setField, splitRows } from './rowText';

const FILLER = 'a line of a log, "quoted", with an é\n';
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n', 'latin1'), Buffer.alloc(40_000, 7)]).toString('base64');

/**
 * Adds to a transcript what slimming moves or removes besides progress: long outputs in the details of results, and snapshots of the
 * system prompt, most of which repeat the one before. The same seed and bytes give the same rows.
 */
export function addBulk(original: Buffer, seed: number): Buffer {
  const random = createRandom(seed + 99_000);
  const rows = splitRows(original).map((row) => (random.chance(0.6) ? withOutput(row, random) : row));
  for (let count = 2 + random.below(5); count > 0; count--) addSnapshot(rows, `${seed} ${count}`, random);
  return joinRows(rows);
}

function withOutput(row: RowText, random: Random): RowText {
  const fields = readRow(row);
  if (fields?.type !== 'user' || fields.toolUseResult === undefined || !row.endsWith('\n')) return row;
  const long = FILLER.repeat(1_000 + random.below(500));
  const details = typeof fields.toolUseResult === 'object' ? fields.toolUseResult : {};
  switch (random.below(3)) {
    case 0:
      return setField(row, 'toolUseResult', { ...details, stdout: long, stderr: random.chance(0.3) ? long : '' });
    case 1:
      return setField(row, 'toolUseResult', { ...details, originalFile: long });
    default:
      return setField(row, 'toolUseResult', { type: 'image', file: { base64: PNG, type: 'image/png' } });
  }
}

/** Below a row, with its child below the snapshot. */
function addSnapshot(rows: RowText[], name: string, random: Random): void {
  const at = random.below(rows.length);
  const above = readRow(rows[at] ?? '');
  if (above === null || typeof above.uuid !== 'string' || rows[at]?.endsWith('\n') !== true) return;
  const child = rows.findIndex((row, place) => place > at && readRow(row)?.parentUuid === above.uuid);
  const uuid = uuidFor(name);
  if (child >= 0) rows[child] = setField(rows[child] ?? '', 'parentUuid', uuid);
  rows.splice(at + 1, 0, snapshotRow(uuid, above, random.chance(0.8) ? 'usual' : 'other'));
}

function snapshotRow(uuid: string, above: LooseFields, words: string): RowText {
  const { isSidechain = false, timestamp } = above;
  const attachment = {
    type: 'prompt_snapshot',
    systemPrompt: [`The ${words} instructions. `.repeat(300)],
    reminderFold: false,
    echoWireToolInputs: false,
    contextRendering: 'announced',
  };
  const row = {
    parentUuid: above.uuid,
    isSidechain,
    attachment,
    type: 'attachment',
    uuid,
    timestamp,
  };
  return `${JSON.stringify(row)}\n`;
}

function uuidFor(name: string): string {
  const hex = createHash('sha256').update(`bulk ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
