import type { ForkFailureReason, ForkOutcome } from '../../shared/fork';

/** Why there is no fork. Nothing was written. */
export type ForkRefusal = ForkOutcome & { readonly kind: 'refused' };

/** `problem` is one sentence for people. */
export function forkRefusal(reason: ForkFailureReason, problem: string): ForkRefusal {
  return { kind: 'refused', reason, problem };
}
