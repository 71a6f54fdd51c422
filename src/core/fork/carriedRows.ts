import { readFileHistoryRow } from '../claude/fileHistoryRow';
import { stringField } from '../claude/json';
import { dissectLine } from '../scan/dissectLine';
import { LineSplitter } from '../scan/lineSplitter';
import { readChunks } from '../write/fileBytes';
import type { ReadableFile } from '../write/writeFs';

/** Rows without a place in the tree that go with a fork. */
export interface CarriedRows {
  /** Where they stand in the source, in the order of the file. */
  readonly session: readonly number[];
  readonly fileHistory: readonly number[];
  /** Names of the backups that the rows of the file history name. */
  readonly backups: ReadonlySet<string>;
}

/** What the client's own /branch takes over from the transcript, beside the file history. (docs/format.md, "Forks") */
const SESSION_TYPES = [
  'content-replacement',
  'relocated',
  'memory-mode',
  'history-suppression',
  'hybrid-organization',
] as const;
const NEEDLES = ['"file-history-', ...SESSION_TYPES.map((type) => `"${type}"`)].map((text) => Buffer.from(text));
const CARRIED: ReadonlySet<string> = new Set(SESSION_TYPES);
/** How rows of the conversation begin. (docs/format.md, "Key order") */
const CHAIN_START = Buffer.from('{"parentUuid":');
const BRACE = 0x7b;

export interface CarriedFrom {
  readonly file: ReadableFile;
  /** Bytes of it that were scanned. */
  readonly size: number;
  readonly sessionId: string;
}

/**
 * Finds the rows of the session's settings, and those of the file history that go with rows of the fork: the others say
 * nothing to the client, as it reads them along the conversation.
 */
export async function carriedRows(
  { file, size, sessionId }: CarriedFrom,
  isForked: (uuid: string) => boolean,
): Promise<CarriedRows> {
  const session: number[] = [];
  const fileHistory: number[] = [];
  const backups = new Set<string>();
  let isFirstLine = true;
  const splitter = new LineSplitter({
    line(bytes, start) {
      const isFirst = isFirstLine;
      isFirstLine = false;
      if (isChainRow(bytes) || !NEEDLES.some((needle) => bytes.includes(needle))) return;
      for (const { object, start: offset } of dissectLine(bytes, isFirst).objects) {
        const history = readFileHistoryRow(object);
        if (history !== null) {
          if (history.messageId === null || !isForked(history.messageId)) continue;
          fileHistory.push(start + offset);
          for (const name of history.backups) backups.add(name);
        } else if (CARRIED.has(stringField(object, 'type') ?? '') && stringField(object, 'sessionId') === sessionId) {
          session.push(start + offset);
        }
      }
    },
    oversized() {
      isFirstLine = false;
    },
  });
  for await (const chunk of readChunks(file, 0, size)) splitter.push(chunk);
  splitter.end();
  return { session, fileHistory, backups };
}

function isChainRow(bytes: Buffer): boolean {
  return bytes[0] === BRACE && bytes.subarray(0, CHAIN_START.length).equals(CHAIN_START);
}
