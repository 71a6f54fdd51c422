import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { sessionIdOf } from '../../providers/claude/format/paths';
import { rowReader } from '../../providers/claude/request/requestRows';
import { RowFlag } from '../../transcript/rowFlags';
import { RowSource } from '../../transcript/rowSource';
import { countOf } from '../../util/countOf';
import { parseObject, stringField } from '../../util/json';
import { type FileCheck, rowFinding } from '../check';

const FIELD = Buffer.from('"sessionId":"');
const MAX_FILE_BYTES = 128 * 1024 * 1024;

/**
 * `foreign-rows`: messages that another session wrote into this transcript, by their `sessionId`, after the session's own ones. Those at
 * the beginning were copied when the session was forked or resumed under another id. Claude loads all of them. (docs/format.md, "Forks")
 */
export const foreignRows: FileCheck = {
  kind: 'file',
  code: 'foreign-rows',
  find(filePath, loaded): Finding[] {
    if (loaded.index.fileSize > MAX_FILE_BYTES) return [];
    const found = findForeign(filePath, loaded);
    const sessions = [...new Set(found.map(({ sessionId }) => sessionId))];
    const [first] = sessions;
    if (first === undefined) return [];
    const whose = sessions.length === 1 ? `the session ${first}` : countOf(sessions.length, 'other session');
    const where = `on ${countOf(found.length, 'line')}`;
    const message = `Messages of ${whose} are among those of this session, ${where}, and Claude remembers them here.`;
    const rows = found.map(({ row }) => row);
    return [rowFinding(loaded.index, rows, { code: 'foreign-rows', severity: 'info', action: 'tell', message })];
  },
};

interface ForeignRow {
  readonly row: number;
  readonly sessionId: string;
}

/** The messages that load behind the first of the session's own ones, and name another session. */
function findForeign(filePath: string, loaded: LoadedTranscript): readonly ForeignRow[] {
  const { index, history } = loaded;
  const own = sessionIdOf(filePath);
  const source = RowSource.open(filePath, index.fileSize);
  const read = rowReader(loaded, source);
  try {
    const found: ForeignRow[] = [];
    let isOwnSeen = false;
    for (const row of history) {
      if (!loaded.isKept(row) || index.rows.has(row, RowFlag.forked)) continue;
      const sessionId = sessionOf(read(row), own);
      if (sessionId === own) isOwnSeen = true;
      else if (isOwnSeen && sessionId !== null) found.push({ row, sessionId });
    }
    return found;
  } finally {
    source.close();
  }
}

/** The session that the row names; null if it names none. */
function sessionOf(bytes: Buffer | null, own: string): string | null {
  const at = bytes?.indexOf(FIELD) ?? -1;
  if (bytes === null || at < 0) return null;
  const start = at + FIELD.length;
  // Nearly always, and a text of a message cannot hold the field with its quotes.
  if (bytes.toString('latin1', start, start + own.length + 1) === `${own}"`) return own;
  return stringField(parseObject(bytes.toString('utf8')) ?? {}, 'sessionId');
}
