import { loadedRows, type LoadedTranscript, simulateResume } from '../providers/claude/loader/loadTranscript';
import type { Check, LinkCost } from './check';
import { type DraftEdit, RepairDraft } from './repairDraft';

/** What the broken links of a transcript cost the client. Computed on first use: most transcripts have none. */
export class LinkDamage implements LinkCost {
  #losesRows: boolean | null = null;

  constructor(
    private readonly loaded: LoadedTranscript,
    private readonly checks: readonly Check[],
  ) {}

  get losesRows(): boolean {
    this.#losesRows ??= wouldLoadMore(this.loaded, this.checks);
    return this.#losesRows;
  }
}

function wouldLoadMore(loaded: LoadedTranscript, checks: readonly Check[]): boolean {
  for (const draft of draftsOf(loaded, checks)) {
    const edits = [...draft.edits.values()];
    // The simulation below cannot give a row another uuid. A row that shares one with a different row is lost anyway.
    if (edits.some(({ kind }) => kind === 'uuid')) return true;
    const links = linksOf(edits);
    if (links.size === 0) return false;
    const linked = simulateResume(loaded.index, loaded.rules, links);
    if (loadedRows(loaded.index, linked) > loadedRows(loaded.index, loaded.resume)) return true;
  }
  return false;
}

/** By file order. If there may be cycles, also with cycles cut where the client's walk leaves them. */
function* draftsOf(loaded: LoadedTranscript, checks: readonly Check[]): Generator<RepairDraft> {
  for (const cuts of loaded.view.hasForwardLinks ? [undefined, cutsAsLoaded(loaded)] : [undefined]) {
    const draft = new RepairDraft(loaded, cuts);
    fixAll(draft, checks);
    yield draft;
  }
}

/** Adds the edits of all checks to the draft. */
export function fixAll(draft: RepairDraft, checks: readonly Check[]): void {
  for (const check of checks) check.fix?.(draft);
}

/** The rows of broken links at which the client's walk continued by time or ended. */
export function cutsAsLoaded({ resume }: LoadedTranscript): ReadonlySet<number> {
  const { healed, brokenAt } = resume.walk;
  return new Set(brokenAt === null ? healed : [...healed, brokenAt]);
}

function linksOf(edits: readonly DraftEdit[]): ReadonlyMap<number, number> {
  const links = new Map<number, number>();
  for (const edit of edits) if (edit.kind === 'link' && edit.field === 'parentUuid') links.set(edit.row, edit.to);
  return links;
}
