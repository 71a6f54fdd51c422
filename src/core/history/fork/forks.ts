import { dirname, join } from 'node:path';
import type { ForkCalls } from '../../../protocol/channels/history';
import { type ForkOutcome, type ForkRequest, forkTitle } from '../../../protocol/history';
import type { Finding } from '../../../protocol/repair';
import { diagnose, type Diagnostics } from '../../diagnose/verdict';
import { configDirOf, transcriptNameOf } from '../../providers/claude/format/paths';
import { chooseTitle } from '../../providers/claude/format/sessionMetadata';
import { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { requestRows } from '../../providers/claude/loader/request';
import type { SessionCapabilities } from '../../providers/provider';
import { clearStaleForks, type Created, createTranscript } from '../../storage/createTranscript';
import { fileIdentity, isSameFile } from '../../storage/fileAttributes';
import { openToRead, type WriteDeps } from '../../storage/openTranscript';
import { Refusal } from '../../storage/refusal';
import { closeQuietly, type ReadableFile } from '../../storage/writeFs';
import { NO_ID } from '../../transcript/idTable';
import type { FileScan, FileScanner } from '../../transcript/scanFile';
import { RowIndex, type TranscriptIndex } from '../../transcript/transcriptIndex';
import { BitSet } from '../../util/columns';
import { fileProblem } from '../../util/openForeignFile';
import { cutHistory, type CutHistory, forkRefusal } from './cutHistory';
import { forkPlan, type ForkPlan, type ForkShape } from './forkPlan';
import { carriedRows, writeRows } from './writeRows';

export interface ForkDeps {
  /** Of the sessions' provider. */
  readonly capabilities: Pick<SessionCapabilities, 'fork'>;
  readonly scanFile: FileScanner;
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: () => string;
  readonly diagnostics: Diagnostics;
  readonly write: WriteDeps;
  /** Returns an unused uuid. */
  readonly random: () => string;
}

/** In the order in which they are tried. The second is for histories that links to earlier rows cannot express. */
const SHAPES: readonly ForkShape[] = ['linked', 'linear'];

/** Cuts new sessions from transcripts. */
export function createForks(deps: ForkDeps): ForkCalls {
  return { fork: (request) => fork(request, deps) };
}

async function fork(request: ForkRequest, deps: ForkDeps): Promise<ForkOutcome> {
  if (!deps.capabilities.fork) {
    return forkRefusal('not-forkable', `Sessions of ${request.session.provider} cannot be forked.`);
  }
  const filePath = request.session.path;
  let scan: FileScan;
  try {
    scan = await deps.scanFile(filePath, { withHashes: false });
  } catch (error) {
    const { kind, message } = fileProblem(error, filePath);
    return forkRefusal(kind === 'missing' ? 'missing' : 'unreadable', message);
  }
  const cut = cutHistory(scan.index, request, deps.diagnostics.rules);
  if (cut.kind === 'refused') return cut;
  try {
    const file = await openToRead(filePath, 'The transcript', deps.write.fs);
    try {
      if (!isSameFile(fileIdentity(await file.stat()), scan.identity)) {
        throw new Refusal('unreadable', 'The transcript was replaced while it was read. Try again.');
      }
      return await forkFrom(file, cut, request, deps);
    } finally {
      await closeQuietly(file);
    }
  } catch (error) {
    // `core/storage` reports failures of writing.
    if (!(error instanceof Refusal)) return forkRefusal('unreadable', fileProblem(error, filePath).message);
    return forkRefusal(error.code === 'missing' ? 'missing' : 'unreadable', error.message);
  }
}

async function forkFrom(
  file: ReadableFile,
  cut: CutHistory,
  request: ForkRequest,
  deps: ForkDeps,
): Promise<ForkOutcome> {
  const { id: parentSessionId, path: sourcePath } = request.session;
  const source = { file, size: cut.index.fileSize, sessionId: parentSessionId };
  const carried = await carriedRows(source, rowsByUuid(cut));
  const title = titleOf(request.title, chooseTitle(cut.index.titles));
  const sessionId = deps.random();
  const filePath = join(dirname(sourcePath), transcriptNameOf(sessionId));
  // The file history is in the config folder that contains the transcript, which may not be the configured one.
  const histories = join(configDirOf(sourcePath) ?? deps.configDir(), 'file-history');
  const backups = { from: join(histories, parentSessionId), to: join(histories, sessionId), names: carried.backups };
  await clearStaleForks(dirname(filePath), histories, deps.write);
  for (const shape of SHAPES) {
    const plan = forkPlan(cut, shape, deps.random);
    const proof: { proven: ProvenFork | null } = { proven: null };
    const outcome = await createTranscript(
      {
        filePath,
        backups,
        write: (put) => writeRows(put, { file, plan, carried, sessionId, parentSessionId, title }),
        verify: async (path) => {
          proof.proven = proveFork((await deps.scanFile(path)).index, plan, deps.diagnostics);
          return proof.proven !== null;
        },
      },
      deps.write,
    );
    if (outcome.kind === 'refused') return outcome;
    if (outcome.kind === 'unproven' || proof.proven === null) continue;
    const { loads, of, cwd, findings } = proof.proven;
    return {
      kind: 'forked',
      result: { sessionId, filePath, parentSessionId, rowsCopied: plan.length },
      title,
      cwd: cwd ?? cut.index.latest.cwd,
      loads,
      of,
      warning: warningOf(cut, outcome, findings),
    };
  }
  return forkRefusal('not-forkable', 'Claude would not load from a fork what was cut here, so none was made.');
}

/** Whether a uuid is that of a row of the fork. */
function rowsByUuid({ index, ordered }: CutHistory): (uuid: string) => boolean {
  const { ids, rows } = index;
  const forked = new RowIndex(index);
  for (const row of ordered) forked.set(rows.uuid(row), row);
  return (uuid) => ids.has(uuid) && forked.get(ids.intern(uuid)) !== NO_ID;
}

function warningOf({ isBroken }: CutHistory, { missingBackups }: Created, findings: readonly Finding[]): string | null {
  const said: string[] = findings.map(({ message }) => message);
  if (isBroken)
    said.push('Its history begins where that of the session is broken; repair the session first to have all of it.');
  const { length } = missingBackups;
  if (length === 1) said.push('A backup of a file is missing, so that file cannot be rewound in it.');
  if (length > 1) said.push(`${length} backups of files are missing, so those files cannot be rewound in it.`);
  return said.length === 0 ? null : said.join(' ');
}

/** The requested title on one line, or that of its source with a number. */
function titleOf(asked: string | null, source: string | null): string {
  const wanted = oneLine(asked ?? '');
  if (wanted !== '') return wanted;
  const title = oneLine(source ?? '');
  return forkTitle(title === '' ? 'Untitled' : title);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** What Claude loads from a fork, determined from its bytes. */
interface ProvenFork {
  readonly loads: number;
  readonly of: number;
  /** The session's last working directory. */
  readonly cwd: string | null;
  /** Findings of the fork, without those of severity `info`. The fork loads as it was cut even if there are any. */
  readonly findings: readonly Finding[];
}

/**
 * Checks that Claude loads the cut history from the written rows: the same rows, with the chain in the same order, and
 * the same rows in the request. Null if it does not.
 */
function proveFork(written: TranscriptIndex, plan: ForkPlan, { rules, checks }: Diagnostics): ProvenFork | null {
  const loaded = new LoadedTranscript(written, rules);
  const { resume } = loaded;
  const { chain, brokenAt } = resume.walk;
  const isWhole = written.rows.count === plan.length && resume.history.length === plan.length && brokenAt === null;
  if (!isWhole || !isAsPlanned(written, plan) || !holdsChain(chain, plan)) return null;
  const { index, history, ordered } = plan.cut;
  const expected = requestRows(index, history, rules).kept;
  const { kept } = resume.request;
  for (const [at, row] of ordered.entries()) if (kept.has(at) !== expected.has(row)) return null;
  const { loads, of } = resume.summary;
  const findings = diagnose(loaded, checks).filter(({ severity }) => severity !== 'info');
  return { loads, of, cwd: written.latest.cwd, findings };
}

/** The rows of the file are in the order of the plan, so a row's number is its position in the plan. */
function isAsPlanned({ ids, rows }: TranscriptIndex, plan: ForkPlan): boolean {
  for (let at = 0; at < plan.length; at++) if (ids.text(rows.uuid(at)) !== plan.uuid(at)) return false;
  return true;
}

/** Whether the walk visits every row of the cut chain, in the order of the plan. */
function holdsChain(walked: Int32Array, { cut, length }: ForkPlan): boolean {
  const met = new BitSet(length);
  for (const [at, row] of walked.entries()) {
    if (row <= (walked[at - 1] ?? -1)) return false;
    met.add(row);
  }
  let onChain = 0;
  for (const [at, row] of cut.ordered.entries()) {
    if (cut.chain[onChain] !== row) continue;
    onChain++;
    if (!met.has(at)) return false;
  }
  return onChain === cut.chain.length;
}
