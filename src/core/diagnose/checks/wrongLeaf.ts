import { type Finding, WRONG_LEAF } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { NO_ID } from '../../transcript/idTable';
import { RowSource } from '../../transcript/rowSource';
import type { RowTable } from '../../transcript/rowTable';
import type { LastPrompt } from '../../transcript/transcriptIndex';
import { parseObject } from '../../util/json';
import { type LinkCheck, type NamedRepair, rowFinding } from '../check';
import { valueRange } from '../../transcript/jsonMembers';
import { isOfConversation, type UnloadedBranch, unloadedBranches } from '../unloadedBranches';

/**
 * `wrong-leaf`: the newest prompt of the session and its answer are on another branch than the one with which a resume continues,
 * and no rewind has chosen that one: a `last-prompt` names a message of the older branch. A client that ended before it wrote another
 * `last-prompt` leaves the session like this, and so do programs that add rows. If the `last-prompt` is
 * behind the newer branch, a client was still at the older one, so that both may be meant. If the client would continue from a
 * message of a subagent, it resumes nothing. (docs/format.md, "Leaf")
 */
export const wrongLeaf: LinkCheck = {
  kind: 'links',
  code: WRONG_LEAF,
  // Rows that continue the older branch make it the newest.
  weighsCost: true,
  find(loaded): Finding[] {
    const lost = findLost(loaded);
    if (lost !== null) return [lostFinding(loaded, lost)];
    const newest = findNewest(loaded);
    if (newest === null) return [];
    const { rows } = loaded.index;
    const { pointer, branch } = newest;
    const isStale = pointer.rowsBefore <= branch.first;
    const [first, tip] = [branch.first, newest.tip].map((row) => rows.line(row));
    const reason = isStale
      ? 'and no rewind has left them'
      : 'because a client that was still at the older ones wrote last';
    const message =
      `Claude resumes an older branch of this conversation: the newest messages, on lines ${first} to ${tip}, are not ` +
      `remembered, ${reason}. To go on with them, fork the session at line ${tip}, or use repair --class ${WRONG_LEAF}.`;
    const severity = isStale ? 'warning' : 'info';
    const texts = { code: WRONG_LEAF, severity, action: 'ask', message } as const;
    const found = rowFinding(loaded.index, [branch.first, branch.tip], texts);
    return [{ ...found, offer: { kind: 'choose-branch', line: rows.line(branch.tip) } }];
  },
  /** The `last-prompt` gets the newest message. */
  byName(filePath, loaded): NamedRepair | null {
    const found = findLost(loaded) ?? findNewest(loaded);
    const pointer = found?.pointer ?? null;
    const place = pointer === null ? null : findLeafUuid(filePath, loaded, pointer);
    if (found === null || pointer === null || place === null) return null;
    const { tip } = found;
    const to = loaded.index.ids.text(loaded.index.rows.uuid(tip));
    if (to === null) return null;
    const why = 'Claude continues with the newest message.';
    return {
      edits: [{ line: pointer.line, uuid: null, field: 'leafUuid', from: place.value, to, why }],
      splices: [{ offset: place.offset, length: place.length, bytes: Buffer.from(JSON.stringify(to)) }],
      isProven: ({ resume }) => resume.history.includes(tip),
    };
  },
};

/** The newest message of the conversation, which does not load. */
interface Newest {
  readonly tip: number;
  /** Which row it names decided about the leaf; null if none did. */
  readonly pointer: LastPrompt | null;
}

/** Null unless nothing loads because the client would continue from a subagent. */
function findLost(loaded: LoadedTranscript): Newest | null {
  if (loaded.index.straight !== null || loaded.summary.loads > 0 || !loaded.resume.startsAtSubagent) return null;
  const tip = newestOfConversation(loaded.index.rows);
  return tip === NO_ID ? null : { tip, pointer: loaded.resume.graph.lastPrompt };
}

function lostFinding({ index }: LoadedTranscript, { tip, pointer }: Newest): Finding {
  const repair = pointer === null ? '' : `, or use repair --class ${WRONG_LEAF}`;
  const message =
    'Claude Code does not resume this conversation: it would continue from a message of a subagent, and reports that no ' +
    `conversation was found. To go on with the newest messages, fork the session at line ${index.rows.line(tip)}${repair}.`;
  const found = rowFinding(index, [tip], { code: WRONG_LEAF, severity: 'error', action: 'ask', message });
  return { ...found, offer: { kind: 'fork-newest', line: index.rows.line(tip) } };
}

/** Or `NO_ID`. */
function newestOfConversation(rows: RowTable): number {
  let newest = rows.count - 1;
  while (newest >= 0 && !isOfConversation(rows, newest)) newest--;
  return newest;
}

interface NewestBranch extends Newest {
  readonly branch: UnloadedBranch;
  readonly pointer: LastPrompt;
}

/** Null if the newest message loads, or the one that loads was chosen. */
function findNewest(loaded: LoadedTranscript): NewestBranch | null {
  const { index } = loaded;
  // Everything from the last root on loads, or everything.
  if (index.straight !== null || loaded.summary.missingLines.length === 0) return null;
  const { rows, boundaries } = index;
  const { graph, leaf } = loaded.resume;
  const pointer = graph.lastPrompt;
  if (leaf === NO_ID || pointer === null || pointer.isExplicit || graph.rowOf(pointer.leaf) === NO_ID) return null;
  if (boundaries.some(({ row }) => row >= pointer.rowsBefore)) return null;
  const newest = newestOfConversation(rows);
  let [last, lastMs] = [NO_ID, -Infinity];
  for (const row of loaded.history) {
    if (!isOfConversation(rows, row)) continue;
    last = Math.max(last, row);
    lastMs = Math.max(lastMs, rows.timeMs(row));
  }
  // A comparison with NaN is false.
  if (newest <= last || !(rows.timeMs(newest) > lastMs)) return null;
  const branch = unloadedBranches(loaded).find(({ tip }) => tip === newest);
  if (branch === undefined || !branch.hasPrompt || !branch.hasReply || branch.first < last) return null;
  return { branch, tip: branch.tip, pointer };
}

interface ValuePlace {
  /** Bytes from the start of the file. */
  readonly offset: number;
  readonly length: number;
  readonly value: unknown;
}

/** The value of `leafUuid` in a `last-prompt` row that is alone on its line. */
function findLeafUuid(filePath: string, { index }: LoadedTranscript, pointer: LastPrompt): ValuePlace | null {
  const { rows, fileSize } = index;
  const above = pointer.rowsBefore - 1;
  const [from, line] = above < 0 ? [0, 1] : [rows.offset(above), rows.line(above)];
  const source = RowSource.open(filePath, fileSize);
  try {
    const start = source.skipLines(from, pointer.line - line);
    const bytes = source.wholeLineAt(start);
    const row = bytes === null ? null : parseObject(bytes.toString('utf8'));
    const range = row?.['type'] === 'last-prompt' && bytes !== null ? valueRange(bytes, 'leafUuid') : null;
    if (range === null) return null;
    return { offset: start + range.start, length: range.end - range.start, value: row?.['leafUuid'] };
  } finally {
    source.close();
  }
}
