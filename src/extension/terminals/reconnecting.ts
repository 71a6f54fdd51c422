import type { RememberedTerminal, RestoredMemory, RunningClient } from '../../protocol/terminals';

/** A terminal of the window. The same object stands for it until it is closed. */
export interface OpenTerminal {
  /** As the extension marked it when it opened it; null for others, and after a reload. */
  readonly id: string | null;
  /** The process of its shell; null while it is unknown. */
  readonly pid: number | null;
  show(): void;
}

export interface ReconnectingDeps {
  readonly restore: () => Promise<RestoredMemory>;
  readonly terminals: () => Promise<readonly OpenTerminal[]>;
  readonly clients: () => Promise<readonly RunningClient[]>;
  readonly wait: (ms: number) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The window has ended. */
  readonly isOver: () => boolean;
  /** Called with the sessions that are being looked for, by id; with none at the end. */
  readonly onReconnecting: (sessionIds: ReadonlySet<string>) => void;
  /** What became of a terminal. Null: it is not in the window any more. */
  readonly onSettled: (remembered: RememberedTerminal, terminal: OpenTerminal | null) => void;
}

export interface Reconnected {
  /** Sessions that ended with an earlier window. */
  readonly lost: readonly RememberedTerminal[];
  /** Such a window crashed, or was killed. */
  readonly hasCrashed: boolean;
}

/** VS Code restores the terminals of a reloaded window, and ends the old one, within this time. A busy server takes many seconds. */
const RECONNECT_MS = 30_000;
const LOOK_AGAIN_MS = 500;

/**
 * Takes over what earlier windows remember, and finds out what became of each terminal: it is in the window again and its client runs;
 * it is lost; or its session runs elsewhere, which is no business of this window. What had ended before stays ended.
 */
export async function settleRestored(deps: ReconnectingDeps): Promise<Reconnected> {
  const { restore, terminals, clients, wait, now, isOver, onReconnecting, onSettled } = deps;
  const pending = new Map<string, RememberedTerminal>();
  const missed = new Set<string>();
  const lost: RememberedTerminal[] = [];
  let hasCrashed = false;
  let isOtherRunning = true;
  const startedMs = now();
  while (!isOver()) {
    if (isOtherRunning) {
      const restored = await restore();
      isOtherRunning = restored.isOtherRunning;
      hasCrashed ||= restored.hasCrashed;
      for (const each of restored.terminals) {
        // The store of an earlier version may hold a terminal twice.
        const isTwin = [...pending.values()].some((other) => other.id !== each.id && isSameTerminal(other, each));
        if (isTwin) continue;
        if (each.state === 'running') pending.set(each.id, each);
        else onSettled({ ...each, state: 'ended' }, null);
      }
    }
    if (pending.size === 0 && !isOtherRunning) break;
    onReconnecting(new Set([...pending.values()].map(({ sessionId }) => sessionId)));
    // A clock can be set back.
    const isLate = Math.abs(now() - startedMs) >= RECONNECT_MS;
    const [open, running] = pending.size === 0 ? [[], []] : await Promise.all([terminals(), clients()]);
    for (const remembered of [...pending.values()]) {
      const { id, shellPid, sessionId } = remembered;
      const terminal = open.find((each) => each.id === id || (each.pid !== null && each.pid === shellPid)) ?? null;
      const client = terminal === null ? null : clientIn({ ...terminal, id }, running);
      const isElsewhere = running.some((each) => each.sessionId === sessionId || each.terminalId === id);
      if (terminal !== null && client !== null) {
        const isSame = client.sessionId === sessionId;
        const followed = isSame ? {} : { sessionId: client.sessionId, filePath: null, title: null };
        onSettled({ ...remembered, ...followed, shellPid: terminal.pid ?? shellPid }, terminal);
        pending.delete(id);
      } else if (isElsewhere) {
        if (isLate) pending.delete(id);
      } else if (missed.has(id)) {
        const ended: RememberedTerminal = { ...remembered, state: 'lost', changedMs: now(), endedMs: now() };
        lost.push(ended);
        onSettled(ended, terminal);
        pending.delete(id);
      } else {
        // A record that is being written is missing for a moment.
        missed.add(id);
      }
    }
    if (isLate || (pending.size === 0 && !isOtherRunning)) break;
    await wait(LOOK_AGAIN_MS);
  }
  onReconnecting(new Set());
  return { lost, hasCrashed };
}

function isSameTerminal(one: RememberedTerminal, other: RememberedTerminal): boolean {
  return one.sessionId === other.sessionId && one.shellPid === other.shellPid && one.shellPid !== null;
}

/** The client that a terminal hosts: of several, the one that a person has started there. */
export function clientIn(
  { id, pid }: Pick<OpenTerminal, 'id' | 'pid'>,
  clients: readonly RunningClient[],
): RunningClient | null {
  const hosted = clients.filter((client) =>
    pid === null
      ? id !== null && client.terminalId === id
      : client.pid === pid || (client.ancestors.includes(pid) && client.jobId === null),
  );
  return hosted.find(({ entrypoint }) => entrypoint === 'cli') ?? hosted[0] ?? null;
}
