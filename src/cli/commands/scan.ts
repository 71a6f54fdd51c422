import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { bom } from '../../core/diagnose/checks/bom';
import { gluedLines } from '../../core/diagnose/checks/gluedLines';
import { nulBytes } from '../../core/diagnose/checks/nulBytes';
import { spreadRow } from '../../core/diagnose/checks/spreadRow';
import type { Engine } from '../../core/engine';
import { clearLeftRecords, findLeftRecords } from '../../core/history/leftovers';
import { findUnneededFiles } from '../../core/providers/claude/files/unneededFiles';
import { configDirOfProject } from '../../core/providers/claude/format/paths';
import { nodeWriteFs } from '../../core/storage/writeFs';
import type { ScanOptions } from '../../core/providers/provider';
import type { ScannedSession, ScanTotals, UnneededFiles } from '../../protocol/session';
import { type ListedTranscript, listTranscripts, mapInOrder, Progress, progressStream, totalOf } from '../batch';
import {
  checkClient,
  checkPaths,
  CLIENT_HELP,
  type Command,
  defineCommand,
  EXIT_CODES_HELP,
  PATHS_HELP,
  UsageError,
} from '../command';
import { absolutePaths, type CommandContext, configDirProblem, reportProblem } from '../context';
import { countMemory, type Engines, openEngines } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage } from '../report/page';
import { resultJson } from '../report/scanJson';
import { scanReport, type SessionRow, toSessionRow } from '../report/scanReport';
import { watchScans } from './scanWatch';

/**
 * Of more broken sessions than these, and of more healthy ones, the report says only by their rows which part Claude remembers: each
 * has to be read again to count its messages.
 */
const MOST_COUNTED = 100;
/** Those of one kind have at most so many bytes together, unless it is one. */
const MOST_COUNTED_BYTES = 256 * 1024 * 1024;

/** The disk limits reading and one thread limits parsing, so more would only cost memory. */
const SCANS_AT_ONCE = 3;

export const command = defineCommand({
  options: { client: { type: 'string' }, clean: { type: 'boolean' }, watch: { type: 'boolean' } },
  help,
  run(context, { values, positionals, isJson }) {
    checkPaths(positionals);
    if (values.watch === true && values.clean === true) throw new UsageError('--watch does not go with --clean.');
    return scan(context, positionals, {
      isJson,
      isCleaning: values.clean === true,
      isWatching: values.watch === true,
      client: checkClient(values.client),
    });
  },
});

function help(name: string): string {
  return `Usage: ${name} scan [PATH…] [--watch] [--clean] [--client V] [--json]

Checks sessions and says how much of each Claude remembers when it is resumed, and
what Claude's API would refuse: in transcripts that are named, and in all sessions that
end with an error. Of named transcripts, it also says why claude --resume does not list
them. Nothing is changed, unless --clean asks for it.

${PATHS_HELP}
Without one, $CLAUDE_CONFIG_DIR is scanned, else ~/.claude.

Options:
      --watch     then print a line for each session whose result changes, for each new
                  one and for each that vanishes, until interrupted; with --json, each
                  line is an object of "sessions"
      --clean     remove what interrupted repairs, forks and rewinds have left behind
${CLIENT_HELP}
      --json      print {"sessions": […], "totals": {…}} on stdout
  -h, --help      show this help

${EXIT_CODES_HELP}
`;
}

interface ScanCounts {
  sessions: number;
  healthy: number;
  corrupted: number;
  missing: number;
  unreadable: number;
  bytes: number;
}

interface ScanRun {
  readonly isJson: boolean;
  /** Remove what interrupted operations have left. */
  readonly isCleaning: boolean;
  readonly isWatching: boolean;
  /** The client that the person named. */
  readonly client: string | undefined;
}

/** @param paths as the person entered them; none means the config folder */
async function scan(
  context: CommandContext,
  paths: readonly string[],
  { isJson, isCleaning, isWatching, client }: ScanRun,
): ReturnType<Command['run']> {
  const { environment, out, err, signal } = context;
  const totals: ScanCounts = { sessions: 0, healthy: 0, corrupted: 0, missing: 0, unreadable: 0, bytes: 0 };
  const problem = paths.length === 0 ? await configDirProblem(context.configDir) : null;
  if (problem !== null) {
    await err.write(`${problem}\n`);
    if (isJson && !isWatching) await out.writeJsonList('sessions', [], () => ({ totals: totalsJson(totals) }));
    return EXIT_CODE.unusable;
  }
  if (isWatching) return watchScans(context, paths, { isJson, client });

  const engines = await openEngines(context, client);
  const engine = engines.default;
  const named = new Set(absolutePaths(context, paths));
  const transcripts = await listTranscripts(engine, [...named], signal);
  const progress = new Progress(progressStream(environment, isJson), 'Scanning', totalOf(transcripts));
  const problems: { filePath: string; problem: string }[] = [];
  const scanned = mapInOrder(transcripts, { limit: SCANS_AT_ONCE, signal }, async (transcript) => {
    const isThorough = named.has(transcript.path);
    const session = await scanOne(engine, transcript, { isThorough, progress, signal });
    return { transcript, session };
  });
  const liveness = engine.readLiveness();
  const unneeded = paths.length === 0 ? findUnneeded(engine, context.configDir, transcripts) : Promise.resolve([]);
  const debris = await debrisBeside(engine, transcripts, named, isCleaning);

  let besides: readonly UnneededFiles[] = [];
  async function* counted(): AsyncGenerator<{ transcript: ListedTranscript; session: ScannedSession }> {
    for await (const each of scanned) {
      const { result } = each.session;
      count(totals, each.session);
      if (result.status === 'missing' || result.status === 'unreadable') {
        problems.push({ filePath: result.filePath, problem: each.session.problem ?? `${result.status}.` });
      }
      yield each;
    }
    besides = await unneeded;
    progress.stop();
  }

  try {
    if (isJson) {
      await out.writeJsonList('sessions', resultsOf(counted(), liveness), () => ({
        totals: { ...totalsJson(totals), ...(besides.length === 0 ? {} : { unneeded: besides }) },
      }));
    } else {
      const rows: SessionRow[] = [];
      const shared = new Map<string, string>();
      for await (const { transcript, session } of counted()) {
        rows.push(toSessionRow(session, transcript.projectFolder, shared));
      }
      const scope = paths.length === 0 ? [context.configDir] : paths;
      if (!signal.aborted) {
        const reader = { ...engines.diagnostics.client, isNamed: client !== undefined };
        const about = { scope, client: reader, isClose: transcripts.every(({ path }) => named.has(path)) };
        const all = { ...totals, unneeded: besides };
        const counted = await withMessages(rows, engines, signal);
        for (const part of scanReport(counted, all, about, createPage(environment))) await out.write(part);
      }
    }
  } finally {
    progress.stop();
  }
  for (const each of problems) await reportProblem(context, each.filePath, each.problem, paths);
  if (debris !== null) await err.write(`${debris}\n`);
  for (const line of await leftRecords(context, transcripts, paths, isCleaning)) await err.write(`${line}\n`);
  return scanExitCode(totals);
}

/**
 * The rows with the messages of the newest broken sessions, and of the newest healthy ones whose rows do not tell how much of them
 * Claude remembers. To count them, the prompts are read.
 */
async function withMessages(
  rows: readonly SessionRow[],
  engines: Engines,
  signal: AbortSignal,
): Promise<readonly SessionRow[]> {
  const newest = rows.toSorted((one, other) => (other.lastMessageMs ?? 0) - (one.lastMessageMs ?? 0));
  const broken = newest.filter(({ status }) => status === 'corrupted');
  const chosen = new Set([...affordable(broken), ...affordable(newest.filter(isUnclear))]);
  const counted: SessionRow[] = [];
  for (const row of rows) {
    const memory = chosen.has(row) && !signal.aborted ? await countMessages(row, engines) : null;
    counted.push(memory === null ? row : { ...row, memory });
  }
  return counted;
}

/** Whether some rows of a healthy session are not loaded: copies, other branches and what a summary stands for are no loss. */
function isUnclear({ status, loads, of, findings }: SessionRow): boolean {
  return status === 'healthy' && (loads < of || findings.some(({ code }) => UNCOUNTED.has(code)));
}

/** Findings about rows that no count of rows contains: they are not alone on one line. */
const UNCOUNTED: ReadonlySet<string> = new Set([spreadRow, nulBytes, gluedLines, bom].map(({ code }) => code));

function affordable(newest: readonly SessionRow[]): readonly SessionRow[] {
  const chosen: SessionRow[] = [];
  let bytes = 0;
  for (const row of newest) {
    if (chosen.length > 0 && bytes + row.fileSize > MOST_COUNTED_BYTES) continue;
    bytes += row.fileSize;
    chosen.push(row);
    if (chosen.length === MOST_COUNTED) break;
  }
  return chosen;
}

/** Null if the transcript cannot be read, which the scan says. */
async function countMessages({ filePath, status }: SessionRow, engines: Engines): Promise<SessionRow['memory']> {
  const memory = await countMemory(filePath, engines.for({ projectFolder: dirname(filePath) }));
  // The scan also knows what the API would refuse.
  return memory === null ? null : { ...memory, losesMessages: memory.losesMessages || status === 'corrupted' };
}

async function findUnneeded(
  engine: Engine,
  configDir: string,
  transcripts: readonly ListedTranscript[],
): Promise<readonly UnneededFiles[]> {
  const running = await engine.liveSessions().catch(() => new Set<string>());
  return findUnneededFiles(configDir, new Set([...running, ...transcripts.map(({ id }) => id.toLowerCase())]));
}

/** What to say about files that repairs have left that were killed; null if there are none. */
async function debrisBeside(
  engine: Engine,
  transcripts: readonly ListedTranscript[],
  named: ReadonlySet<string>,
  isCleaning: boolean,
): Promise<string | null> {
  let [left, cleared, setAside, putBack] = [0, 0, 0, 0];
  let why: string | null = null;
  const folders = new Set<string>();
  // A transcript that was named stands for itself only.
  const foldersOfNamed = new Set<string>();
  for (const { path, projectFolder } of transcripts) {
    folders.add(projectFolder);
    if (named.has(path)) foldersOfNamed.add(projectFolder);
  }
  for (const folder of folders) {
    const isWhole = !foldersOfNamed.has(folder);
    for (const filePath of await engine.findDebris(folder)) {
      if (!isWhole && !named.has(filePath)) continue;
      const isMissing = !existsSync(filePath);
      const problem = isCleaning ? await engine.clearDebris(filePath) : null;
      if (isCleaning && problem === null) {
        cleared++;
        if (isMissing && existsSync(filePath)) putBack++;
      } else {
        left++;
        if (isMissing) setAside++;
      }
      why ??= problem;
    }
  }
  const sessions = (count: number): string => (count === 1 ? '1 session' : `${count} sessions`);
  if (left > 0) {
    const clean = setAside === 0 ? 'removes them' : 'puts back what was set aside, and removes the rest';
    const how = why === null ? `scan --clean ${clean}.` : `they could not be removed. ${why}`;
    return `Interrupted repairs or forks have left files beside ${sessions(left)}: ${how}`;
  }
  if (cleared === 0) return null;
  const restored = putBack === 0 ? '' : `Put back ${sessions(putBack)} that an interrupted repair had set aside. `;
  return `${restored}Removed what interrupted repairs or forks had left beside ${sessions(cleared)}.`;
}

/** What to say about records that rewinds and hooks have left that were killed. */
async function leftRecords(
  { environment, configDir }: CommandContext,
  transcripts: readonly ListedTranscript[],
  paths: readonly string[],
  isCleaning: boolean,
): Promise<readonly string[]> {
  const write = { fs: nodeWriteFs, now: environment.now, random: randomUUID };
  const projects = new Set(transcripts.map(({ projectFolder }) => projectFolder));
  const named = [...projects].flatMap((folder) => configDirOfProject(folder) ?? []);
  const lines: string[] = [];
  for (const folder of new Set([...(paths.length === 0 ? [configDir] : []), ...named])) {
    const found = await findLeftRecords(folder, write);
    if (found.length === 0) continue;
    const left = isCleaning ? await clearLeftRecords(folder, write) : found;
    const how = isCleaning ? 'they could not be removed' : 'scan --clean removes them';
    lines.push(
      left.length === 0
        ? `Removed what interrupted rewinds or checkpoints had left in ${folder}.`
        : `Interrupted rewinds or checkpoints have left files in ${folder}: ${how}.`,
    );
  }
  return lines;
}

async function scanOne(
  engine: Engine,
  transcript: ListedTranscript,
  how: Pick<ScanOptions, 'isThorough'> & { readonly progress: Progress; readonly signal: AbortSignal },
): Promise<ScannedSession> {
  const { progress, signal, ...options } = how;
  let reported = 0;
  const session = await engine.scan(transcript.path, {
    ...options,
    signal,
    onProgress: (bytesRead) => {
      progress.advance(bytesRead - reported);
      reported = bytesRead;
    },
  });
  progress.advance(transcript.size - reported);
  progress.fileDone();
  return session;
}

function count(totals: ScanCounts, { result }: ScannedSession): void {
  totals.sessions += 1;
  totals[result.status] += 1;
  totals.bytes += result.fileSize;
}

/** Unreadable inputs take precedence over findings, because the answer is incomplete. */
function scanExitCode(totals: ScanTotals): ExitCode {
  if (totals.missing > 0 || totals.unreadable > 0) return EXIT_CODE.unusable;
  return totals.corrupted > 0 ? EXIT_CODE.found : EXIT_CODE.ok;
}

async function* resultsOf(
  sessions: AsyncIterable<{ session: ScannedSession }>,
  liveness: ReturnType<Engine['readLiveness']>,
): AsyncGenerator<object> {
  for await (const { session } of sessions) {
    const { live } = await liveness(session.result.filePath);
    yield resultJson(session.result, live);
  }
}

function totalsJson({ sessions, healthy, corrupted, missing, unreadable, bytes }: ScanTotals): ScanTotals {
  return { sessions, healthy, corrupted, missing, unreadable, bytes };
}
