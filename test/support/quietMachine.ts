import { type Machine, thisMachine } from '../rooms/providers';

/** This machine without the clients that other suites run on it at the same time: one that is just starting could be anywhere. */
export function quietMachine(): Machine {
  return { ...thisMachine(), clients: () => [] };
}
