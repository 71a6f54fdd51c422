import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';

/** A running process that may be a client. */
export interface ClientProcess {
  readonly pid: number;
  /** The process that started it. */
  readonly parentPid: number;
  /** Real path of its working folder; null if unknown. */
  readonly cwd: string | null;
  /** Its config folder, from its environment; null if unknown. */
  readonly configDir: string | null;
  /** Its command line. */
  readonly args: readonly string[];
}

/** What this machine says about its processes. Nothing here rejects or throws. */
export interface Machine {
  /** The name under which clients on this machine record their process ids. (docs/format.md, "Live processes") */
  readonly pidDomain: string;
  /** Only Linux has several domains of process ids on one machine. There, a record that names none may be of any. */
  readonly hasPidDomains: boolean;
  /** `procStart`: when the process started, as the registry records it; null if it does not say. */
  isAlive(pid: number, procStart: string | null): boolean;
  /** Milliseconds since the epoch; null if unknown. */
  startedMs(pid: number): number | null;
  /** Real path of the working folder of a process; null if unknown. */
  cwdOf(pid: number): string | null;
  /** The running clients of this person, or of anybody for root, as far as the machine shows its processes. */
  clients(): readonly ClientProcess[];
  /** How a process was started; null if the machine does not show it. */
  launchOf(pid: number): Launch | null;
}

/** How a process was started. The values of its variables may be secret, so none is kept. */
export interface Launch {
  /** Its command line. */
  readonly args: readonly string[];
  /** Names of the environment variables that it was given and that are not empty. */
  readonly variables: ReadonlySet<string>;
}

const PROCESSES = '/proc';
/** For callers that watch many clients, in milliseconds. An exit is seen at once; a zombie or a reused process id, after so long. */
export const WATCHERS_TRUST_MS = 20_000;
/** So many processes are remembered; after that, all are checked again. */
const MAX_SEEN = 5_000;
/** Ticks of a clock that every Linux system shows to programs. */
const TICKS_PER_SECOND = 100;
const CLIENT_NAMES: ReadonlySet<string> = new Set(['claude', 'claude.exe']);
/** Only shows the terminal of a background session, whose client is a process of its own. */
const TERMINAL_HOST = 'bg-pty-host';

/**
 * This machine.
 *
 * @param trustMs for so long after a check, in milliseconds, a process that exists counts as the same one; 0 to check each time
 */
export function thisMachine(trustMs = 0): Machine {
  const seen = new Map<number, { readonly procStart: string | null; readonly checkedMs: number }>();
  return {
    pidDomain: ownPidDomain(),
    hasPidDomains: process.platform === 'linux',
    isAlive: (pid, procStart) => {
      if (!exists(pid)) return false;
      const nowMs = performance.now();
      const last = seen.get(pid);
      if (last?.procStart === procStart && nowMs - last.checkedMs < trustMs) return true;
      const isSame = isRunning(pid, procStart);
      if (seen.size > MAX_SEEN) seen.clear();
      if (isSame && trustMs > 0) seen.set(pid, { procStart, checkedMs: nowMs });
      return isSame;
    },
    startedMs,
    cwdOf: (pid) => linkOf(`${PROCESSES}/${pid}/cwd`),
    clients,
    launchOf,
  };
}

/** As client 2.1.330 computes it. */
function ownPidDomain(): string {
  if (process.platform === 'win32') return `linux:${hostname().toLowerCase()}`;
  if (process.platform !== 'linux') return 'linux';
  return `linux:${textOf('/etc/machine-id')?.trim() ?? ''}:${linkOf('/proc/self/ns/pid') ?? ''}`;
}

/** Whether a signal can be sent to the process. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process is running but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Of a process that exists: it may have ended without its parent's notice. If both `/proc` and the registry have its start time, they
 * must also agree, because pids are reused after a restart of the machine.
 */
function isRunning(pid: number, procStart: string | null): boolean {
  const stat = statOf(pid);
  if (stat?.hasEnded === true) return false;
  if (procStart === null || !/^\d+$/.test(procStart)) return true;
  return stat === null || stat.start === procStart;
}

/** The process that started another, as Linux shows it; null if it is gone, and on other systems. */
export function parentOf(pid: number): number | null {
  return statOf(pid)?.parentPid ?? null;
}

/** A variable of a process's environment at its start, as Linux shows it; null if it has none, or it cannot be seen. */
export function variableOf(pid: number, name: string): string | null {
  const entries = textOf(`${PROCESSES}/${pid}/environ`)?.split('\0') ?? [];
  return entries.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

function startedMs(pid: number): number | null {
  const ticks = Number(statOf(pid)?.start ?? Number.NaN);
  const booted = /^btime (\d+)$/m.exec(textOf(`${PROCESSES}/stat`) ?? '')?.[1];
  if (Number.isNaN(ticks) || booted === undefined) return null;
  return Number(booted) * 1000 + (ticks / TICKS_PER_SECOND) * 1000;
}

function clients(): readonly ClientProcess[] {
  const found: ClientProcess[] = [];
  for (const name of namesIn(PROCESSES)) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid || !isOwn(pid)) continue;
    const stat = statOf(pid);
    if (stat === null || stat.hasEnded) continue;
    const args = (textOf(`${PROCESSES}/${pid}/cmdline`) ?? '').split('\0');
    if (!CLIENT_NAMES.has(stat.name) && !CLIENT_NAMES.has(basename(args[0] ?? ''))) continue;
    if (args[1] === TERMINAL_HOST) continue;
    const [cwd, configDir] = [linkOf(`${PROCESSES}/${pid}/cwd`), configDirOf(pid)];
    // Asked last: what was read of a process that was ending is incomplete, and it would seem to be a client of any folder.
    if (!isGone(pid)) found.push({ pid, parentPid: stat.parentPid, cwd, configDir, args });
  }
  return found;
}

/** Whether a process has ended, or is ending: it has given up its memory then, and with it its command line, and writes nothing any more. */
function isGone(pid: number): boolean {
  return textOf(`${PROCESSES}/${pid}/cmdline`) === '' || statOf(pid) === null;
}

function launchOf(pid: number): Launch | null {
  const [commandLine, environment] = ['cmdline', 'environ'].map((name) => textOf(`${PROCESSES}/${pid}/${name}`));
  if (typeof commandLine !== 'string' || typeof environment !== 'string') return null;
  const set = environment.split('\0').filter((entry) => entry.indexOf('=') < entry.length - 1);
  return { args: commandLine.split('\0'), variables: new Set(set.map((entry) => entry.slice(0, entry.indexOf('=')))) };
}

/** Other people have config folders of their own, and neither those nor their working folders can be seen. */
function isOwn(pid: number): boolean {
  const user = process.geteuid?.() ?? 0;
  return user === 0 || ownerOf(`${PROCESSES}/${pid}`) === user;
}

function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return null;
  }
}

function configDirOf(pid: number): string | null {
  const valueOf = (name: string): string => variableOf(pid, name) ?? '';
  const [configDir, home] = [valueOf('CLAUDE_CONFIG_DIR'), valueOf('HOME')];
  return configDir !== '' ? configDir : home === '' ? null : join(home, '.claude');
}

interface ProcessStat {
  readonly name: string;
  readonly parentPid: number;
  /** In clock ticks since boot. */
  readonly start: string;
  /** It was killed or has exited, but its parent has not taken notice. */
  readonly hasEnded: boolean;
}

/** From /proc/<pid>/stat; null if there is none. */
function statOf(pid: number): ProcessStat | null {
  const text = textOf(`${PROCESSES}/${pid}/stat`);
  if (text === null) return null;
  // The name, in parentheses, may itself contain spaces and parentheses.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const [parentPid, start] = [Number(fields[1]), fields[19]];
  if (start === undefined || !Number.isSafeInteger(parentPid)) return null;
  const hasEnded = fields[0] === 'Z' || fields[0] === 'X';
  return { name: text.slice(text.indexOf('(') + 1, end), parentPid, start, hasEnded };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
