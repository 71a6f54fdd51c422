import type { Machine } from '../rooms/providers';

/** A machine on which all processes run, and none is a client. */
export function fakeMachine(overrides: Partial<Machine> = {}): Machine {
  return {
    pidDomain: 'linux:here:pid:[1]',
    hasPidDomains: true,
    isAlive: () => true,
    startedMs: () => null,
    cwdOf: () => null,
    clients: () => [],
    launchOf: () => null,
    ...overrides,
  };
}
