import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type RunningClient, TERMINAL_VARIABLE } from '../../../../protocol/terminals';
import { type Machine, parentOf, variableOf } from './machine';
import { type BackgroundJob, type ClientRecord, readRegistry } from './registry';

export interface RunningClientsDeps {
  /** Absolute path of the config folder. */
  readonly configDir: string;
  readonly machine: Machine;
  readonly processes: ProcessTree;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What a machine says about the origin of processes. */
export interface ProcessTree {
  /** Returns the parent of each process, null if it is gone or unknown. Never rejects. */
  parents(): Promise<(pid: number) => number | null>;
  /** Null if the process has none, or the machine does not show it. */
  variableOf(pid: number, name: string): string | null;
}

/** More would be a circle: pids are reused while they are read one after the other. */
const MAX_ANCESTORS = 64;

/** The clients that run on this machine, each with the processes that it descends from. Never rejects. */
export async function readRunningClients(deps: RunningClientsDeps): Promise<readonly RunningClient[]> {
  const { configDir, machine, now, processes } = deps;
  const { records, jobs } = await readRegistry(configDir, machine, now());
  const running = records.filter(({ standing, kind }) => standing === 'runs' && kind !== 'daemon');
  if (running.length === 0) return [];
  const parent = await processes.parents();
  return running.map((record) => ({
    pid: record.pid,
    sessionId: record.sessionId,
    ancestors: ancestorsOf(record.pid, parent),
    terminalId: processes.variableOf(record.pid, TERMINAL_VARIABLE),
    tmux: tmuxSessionOf(record.tmux),
    jobId: jobIdOf(record, jobs),
    cwd: record.cwd,
    entrypoint: record.entrypoint,
  }));
}

/** The process tree of this machine. */
export const thisProcessTree: ProcessTree = {
  parents: async () => (process.platform === 'linux' ? parentOf : listedParents()),
  variableOf,
};

const LIST_TIMEOUT_MS = 10_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** Programs that list all processes with their parents, two numbers in a line. */
async function listedParents(): Promise<(pid: number) => number | null> {
  const script = 'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId)" }';
  const isWindows = process.platform === 'win32';
  const program = isWindows ? 'powershell.exe' : 'ps';
  const args = isWindows ? ['-NoProfile', '-Command', script] : ['-A', '-o', 'pid=,ppid='];
  const options = { timeout: LIST_TIMEOUT_MS, maxBuffer: MAX_LIST_BYTES, windowsHide: true };
  const text = await promisify(execFile)(program, args, options).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return parseParents(text);
}

/** Lines of a pid and the pid of its parent. */
export function parseParents(text: string): (pid: number) => number | null {
  const parents = new Map(
    [...text.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm)].map(([, pid, parent]) => [Number(pid), Number(parent)]),
  );
  return (pid) => parents.get(pid) ?? null;
}

function ancestorsOf(pid: number, parent: (pid: number) => number | null): readonly number[] {
  const ancestors: number[] = [];
  for (let at = parent(pid); at !== null && at > 0 && ancestors.length < MAX_ANCESTORS; at = parent(at)) {
    if (ancestors.includes(at)) break;
    ancestors.push(at);
  }
  return ancestors;
}

/** The name in `name:@window.%pane`. */
function tmuxSessionOf(place: string | null): string | null {
  const name = place === null ? '' : place.slice(0, place.lastIndexOf(':@'));
  return name === '' ? null : name;
}

function jobIdOf({ kind, sessionId }: ClientRecord, jobs: readonly BackgroundJob[]): string | null {
  if (kind !== 'bg') return null;
  return jobs.find(({ sessionIds }) => sessionIds.includes(sessionId))?.id ?? sessionId.slice(0, 8);
}
