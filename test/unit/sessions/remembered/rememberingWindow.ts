import { nodeWriteFs } from '../../../rooms/storage';
import { RememberedSessions, type WindowProcess } from '../../../rooms/sessions';
import type { RememberedTerminal, WindowMemory } from '../../../../src/protocol/terminals';
import type { Clock } from '../../../rooms/util';

export const STORE = 'remembered-sessions.json';

/** Everything is due at once; the time is set by the test. */
export class HastyClock implements Clock {
  nowMs = 1_000_000_000_000;

  now(): number {
    return this.nowMs;
  }

  after(_delayMs: number, callback: () => void): () => void {
    const timer = setImmediate(callback);
    return () => {
      clearImmediate(timer);
    };
  }
}

function processOf(id: string): WindowProcess {
  return { id, pid: 1, pidDomain: 'here', startedMs: null };
}

export function terminalOf(id: string, change: Partial<RememberedTerminal> = {}): RememberedTerminal {
  return {
    id,
    shellPid: 7,
    sessionId: '44444444-4444-4444-8444-444444444444',
    filePath: null,
    title: null,
    cwd: '/src/app',
    configDir: '/c',
    state: 'running',
    startedMs: 1,
    changedMs: 1,
    endedMs: null,
    ...change,
  };
}

export function memoryOf(...ids: readonly string[]): WindowMemory {
  return { terminals: ids.map((id) => terminalOf(id)), panels: [], urgent: [] };
}

/** A window and what it writes to the log. `alive`: the windows that run, by their names. */
export function openWindow(
  folder: string,
  name: string,
  { alive = [], clock = new HastyClock() }: { readonly alive?: readonly string[]; readonly clock?: Clock } = {},
) {
  const logged: string[] = [];
  const store = new RememberedSessions({
    folder,
    own: processOf(name),
    isAlive: ({ id }) => alive.includes(id),
    fs: nodeWriteFs,
    clock,
    log: (_level, message) => logged.push(message),
  });
  return { store, logged };
}
