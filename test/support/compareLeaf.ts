import type { ClientRun } from './realClient';

export interface LeafComparison {
  readonly predicted: string | null;
  /** The row that the client made the parent of the probe; null if it loaded nothing. */
  readonly attachedTo: string | null | undefined;
  readonly isEqual: boolean;
}

/** Reported beside the rows: is the next prompt a child of the predicted leaf? */
export function compareLeaf(predicted: string | null, run: Pick<ClientRun, 'attachedTo' | 'messages'>): LeafComparison {
  const attachedTo = run.messages === null ? null : run.attachedTo;
  return { predicted, attachedTo, isEqual: predicted === attachedTo };
}

export function describeLeaf({ predicted, attachedTo }: LeafComparison): string {
  return `leaf: predicted ${String(predicted)}, the probe hangs from ${String(attachedTo)}`;
}
