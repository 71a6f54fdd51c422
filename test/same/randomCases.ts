import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fastGlob from 'fast-glob';
import { makeTranscript } from '../fuzz/generate/makeTranscript';
import { oneOf } from '../fuzz/generate/scene';
import { makePlace } from '../rewind/support/place';
import { FORMS, HistoryWriter } from '../rewind/support/writeHistory';
import { damage } from '../support/damage';
import { FIXTURES, listDamageBases } from '../support/fixtures';
import { largeVariant } from '../support/largeVariant';
import { createRandom, type Random } from '../support/random';
import { randomSession } from '../support/randomSession';
import { joinRows, readRow, type RowText, setField, splitRows } from '../support/rowText';
import { type RowFields, transcript, uuidOf } from '../support/transcriptBuilder';
import { create, SESSION_ID, todos, update, work } from '../unit/conversation/tasks/taskRows';
import { writeUsageCorpus } from '../unit/usage/usageCorpus';
import { type Case, dateFiles, type Place, placeRecording, relocated, sideFolder, writeTranscript } from './places';

/** A transcript as generated, before the changes that any transcript may get. */
type Maker = (place: Place, random: Random) => string;

/** The probability of each is given by how often it is listed. */
const MAKERS: readonly (readonly [name: string, make: Maker])[] = [
  ...Array.from({ length: 4 }, () => ['recording', makeRecording] as const),
  ...Array.from({ length: 4 }, () => ['session', makeSession] as const),
  ...Array.from({ length: 2 }, () => ['fuzz', makeFuzz] as const),
  ...Array.from({ length: 2 }, () => ['file history', makeHistory] as const),
  ['usage', makeUsage],
  ...Array.from({ length: 2 }, () => ['tasks', makeTasks] as const),
];

/** From the oldest client with known files to one that does not exist. */
const VERSIONS = ['1.0.128', '2.0.60', '2.1.50', '2.1.200', '2.1.330', '2.1.331', '3.0.0'] as const;
const STATES = ['pending', 'in_progress', 'completed', 'deleted', 'odd'] as const;
const NAMES = ['read the code', 'write a test', 'mend it', ''] as const;
const LIVE_STATES = ['idle', 'busy', 'waiting'] as const;
const DAY_MS = 86_400_000;

/** The random transcript for a seed and a number: the same each time, except for the folder that its paths name. */
export function randomCase(seed: number, at: number): Case {
  const mixed = Math.imul(seed, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b);
  const [kind, make] = oneOf(createRandom(mixed), MAKERS);
  return {
    name: `seed ${seed}, file ${at} (${kind})`,
    options: `--seed ${seed} --file ${at}`,
    seed: mixed,
    write: (place) => {
      const random = createRandom(~mixed);
      const filePath = make(place, random);
      const history = change(place, filePath, kind, random);
      dateFiles(place, () => random.below(30) * DAY_MS);
      return { filePath, history };
    },
  };
}

function makeRecording(place: Place, random: Random): string {
  const file = oneOf(random, RECORDINGS);
  if (file.startsWith('recordings/')) return placeRecording(place, file);
  return writeTranscript(place, basename(file), readFileSync(join(FIXTURES, file)));
}

function makeSession(place: Place, random: Random): string {
  return writeTranscript(place, `${SESSION_ID}.jsonl`, randomSession(random));
}

function makeFuzz(place: Place, random: Random): string {
  return writeTranscript(place, `${SESSION_ID}.jsonl`, makeTranscript(random.below(2 ** 31), random.below(2 ** 31)));
}

/** The files, their backups and the transcript of a session that changed files. */
function makeHistory({ root }: Place, random: Random): string {
  const place = makePlace(root, SESSION_ID);
  new HistoryWriter(place, random.pick(FORMS), random, random.pick([0, 0.08, 0.3])).write(1 + random.below(10));
  return place.filePath;
}

/** A few sessions of several projects, with subagents. */
function makeUsage({ configDir }: Place, random: Random): string {
  writeUsageCorpus(configDir, random.below(2 ** 31), 1 + random.below(4), random.chance(0.7));
  const sessions = fastGlob.sync('projects/*/*-0000-4000-8000-000000000000.jsonl', { cwd: configDir, absolute: true });
  return oneOf(random, sessions.sort());
}

/** To-do lists and single tasks over some prompts, and Claude's own task files. */
function makeTasks(place: Place, random: Random): string {
  const rows: RowFields[] = [];
  for (let prompt = 0; prompt <= random.below(4); prompt++) {
    const steps = Array.from({ length: 1 + random.below(5) }, () => drawStep(random));
    const [first, ...others] = work(steps, `p${prompt}`);
    const above = rows.at(-1)?.['uuid'] ?? null;
    rows.push({ ...first, parentUuid: random.chance(0.9) ? above : null }, ...others);
  }
  const filePath = writeTranscript(place, `${SESSION_ID}.jsonl`, transcript(rows));
  if (random.chance(0.5)) {
    for (let id = random.below(5); id > 0; id--) {
      const task = { id: String(id), subject: random.pick(NAMES), status: random.pick(STATES), blockedBy: ['1'] };
      writeInto(place, `tasks/${SESSION_ID}/${id}.json`, JSON.stringify(task));
    }
  }
  if (random.chance(0.3)) {
    const list = Array.from({ length: random.below(4) }, () => ({
      content: random.pick(NAMES),
      status: random.pick(STATES),
    }));
    writeInto(place, `todos/${SESSION_ID}-agent-${SESSION_ID}.json`, JSON.stringify(list));
  }
  return filePath;
}

function drawStep(random: Random): ReturnType<typeof create> {
  const id = String(1 + random.below(4));
  const [name, state] = [random.pick(NAMES), random.pick(STATES)];
  switch (random.below(4)) {
    case 0:
      return todos(
        ...Array.from({ length: random.below(4) }, () => [random.pick(NAMES), random.pick(STATES)] as const),
      );
    case 1:
      return create(id, name, random.chance(0.3) ? { activeForm: 'working' } : {});
    case 2:
      return { ...update(id, { status: state }), isError: random.chance(0.1) };
    default:
      return update(id, random.chance(0.5) ? { subject: name } : { addBlockedBy: [String(1 + random.below(4))] });
  }
}

/** The changes that a transcript of any kind may get. Returns what was changed. */
function change(place: Place, filePath: string, kind: string, random: Random): string[] {
  const history: string[] = [];
  let bytes: Buffer = readFileSync(filePath);
  const step = (probability: number, name: string, make: (rows: RowText[]) => readonly RowText[]): void => {
    if (!random.chance(probability)) return;
    bytes = joinRows(make(splitRows(bytes)));
    history.push(name);
  };
  step(0.15, 'compacted', (rows) => compacted(rows, random));
  step(0.3, 'versions', (rows) => versioned(rows, random));
  if (random.chance(kind === 'recording' ? 0.85 : 0.35)) {
    const damaged = damage(bytes, random.below(2 ** 31));
    bytes = damaged.bytes;
    history.push(...damaged.operations);
  }
  if (random.chance(0.01)) {
    bytes = largeVariant(bytes);
    history.push('over 5 MiB');
  }
  writeFileSync(filePath, bytes);
  if (random.chance(0.2)) {
    addSubagent(place, filePath, random);
    history.push('a subagent');
  }
  if (random.chance(0.15)) {
    // Shares its messages with the session, like a fork by the client.
    const rows = splitRows(bytes);
    const copy = joinRows(rows.slice(0, 1 + random.below(rows.length + 1)));
    writeFileSync(join(dirname(filePath), `${uuidOf('copy')}.jsonl`), copy);
    history.push('a second session with the same rows');
  }
  if (random.chance(0.04)) {
    const entry = { pid: process.pid, sessionId: basename(filePath, '.jsonl'), status: random.pick(LIVE_STATES) };
    writeInto(place, `sessions/${process.pid}.json`, JSON.stringify(entry));
    history.push('running');
  }
  return history;
}

/** A compaction somewhere in the conversation that keeps some messages or none. */
function compacted(rows: readonly RowText[], random: Random): readonly RowText[] {
  const uuids = rows.map((row) => readRow(row)?.uuid);
  const at = random.below(rows.length + 1);
  const before = uuids.slice(0, at).filter((uuid) => typeof uuid === 'string');
  const [boundary, summary] = [uuidOf(`boundary ${at}`), uuidOf(`summary ${at}`)];
  const kept = before.slice(before.length - random.below(4));
  const anchorUuid = random.pick([boundary, summary]);
  const metadata = {
    trigger: random.pick(['auto', 'manual']),
    preTokens: 1000,
    ...(random.chance(0.4) ? { preservedSegment: { headUuid: kept[0], anchorUuid, tailUuid: kept.at(-1) } } : {}),
    ...(random.chance(0.7) ? { preservedMessages: { anchorUuid, uuids: kept, allUuids: kept } } : {}),
  };
  const timestamp = readRow(rows[at - 1] ?? '')?.timestamp ?? '2026-06-01T10:20:00.000Z';
  const shared = { isSidechain: false, sessionId: SESSION_ID, version: '2.1.330', timestamp };
  const inserted = [
    {
      parentUuid: random.chance(0.2) ? (before.at(-1) ?? null) : null,
      logicalParentUuid: before.at(-1),
      ...{ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' },
      ...{ uuid: boundary, compactMetadata: metadata, ...shared },
    },
    {
      ...{ parentUuid: boundary, type: 'user', isCompactSummary: true, uuid: summary, ...shared },
      message: { role: 'user', content: 'This session is being continued.' },
    },
  ].map((row) => `${JSON.stringify(row)}\n`);
  // Children of the last row before it become children of the summary, unless the compaction is on a separate branch.
  const isBranch = random.chance(0.2);
  const after = rows
    .slice(at)
    .map((row) =>
      !isBranch && readRow(row)?.parentUuid === before.at(-1) ? setField(row, 'parentUuid', summary) : row,
    );
  const head = rows.slice(0, at).map((row) => (row.endsWith('\n') ? row : `${row}\n`));
  return [...head, ...inserted, ...after];
}

/** Rows of several clients, one after the other. */
function versioned(rows: readonly RowText[], random: Random): readonly RowText[] {
  let version = random.pick(VERSIONS);
  const odds = 2 / (rows.length + 1);
  return rows.map((row) => {
    if (random.chance(odds)) version = random.pick(VERSIONS);
    return typeof readRow(row)?.uuid === 'string' ? setField(row, 'version', version) : row;
  });
}

/** A subagent's transcript, in one of the two places where clients put them, occasionally damaged. */
function addSubagent(place: Place, filePath: string, random: Random): void {
  const agent = oneOf(random, SUBAGENTS);
  const bytes = relocated(readFileSync(join(FIXTURES, agent)), place);
  const sessionId = basename(filePath, '.jsonl');
  const rows = splitRows(bytes).map((row) => (readRow(row) === null ? row : setField(row, 'sessionId', sessionId)));
  const own = random.chance(0.3) ? damage(joinRows(rows), random.below(2 ** 31)).bytes : joinRows(rows);
  const folder = random.chance(0.7) ? join(sideFolder(filePath), 'subagents') : dirname(filePath);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, basename(agent)), own);
}

function writeInto({ configDir }: Place, name: string, content: string): void {
  const path = join(configDir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const RECORDINGS = listDamageBases();
const SUBAGENTS = fastGlob.sync('recordings/**/agent-*.jsonl', { cwd: FIXTURES }).sort();
