import './page/fakeHostApi';
import { type OpenPage, type PageOptions, usePage } from './usePage';

export interface PanelOptions extends PageOptions {
  /** For `compacted`, the number of rows before the compaction. */
  readonly count?: number;
  readonly scenario?: 'broken' | 'glued' | 'folded' | 'compacted' | 'turns';
  /** Milliseconds that the extension takes for a page of items. */
  readonly delay?: number;
  readonly reveal?: number;
  /** What led to the row that is revealed. */
  readonly sought?: string;
  readonly at?: number;
  readonly live?: '';
  /** What the session used: nothing counted unless it is given. */
  readonly usage?: 'some' | 'full' | 'unpriced' | 'rearms' | 'expiring';
  /** An earlier page was here, and left the conversation at its end. */
  readonly left?: '';
  /** The panel was opened to offer a repair. */
  readonly offersRepair?: '';
  /** The API refuses every prompt because of the content of a message. */
  readonly refused?: '';
  /** Only a close look finds that the API refuses every prompt; it comes with what the session used. */
  readonly close?: '';
  /** What findings of the session offer, separated by spaces. */
  readonly offer?: string;
  /** A client may be running the session, so that a repair is refused at first. */
  readonly mayBeLive?: '';
  /** When the session was found again after a restart of the window, in milliseconds since the epoch. */
  readonly reconnected?: number;
  /** The extension sends what to show first without being asked: the page gets it, or has missed it. */
  readonly sent?: 'early' | 'missed';
  /** In `broken`, the history is also broken at the first message. */
  readonly breaks?: '';
  /** The messages span several lines, so no row is counted. */
  readonly spread?: '';
  /** Branches of the chain. */
  readonly branches?: number;
  /** Line of the leaf of the branch that is shown first. */
  readonly branch?: number;
  /** Line of a message that a repair has connected to an earlier one. */
  readonly seam?: number;
}

/** Opens conversation panels for the tests of the suite that calls it. */
export function usePanels(): (options?: PanelOptions) => Promise<OpenPage> {
  const open = usePage({
    bundle: 'conversation',
    title: 'Conversation',
    host: 'fakeHost',
    files: ['highlight.js'],
    viewport: { width: 1000, height: 700 },
    ready: '.item',
  });
  return (options = {}) => {
    const { count, scenario, delay, reveal, sought, at, live, usage, ...others } = options;
    const {
      breaks,
      left,
      offersRepair,
      refused,
      close,
      offer,
      mayBeLive,
      reconnected,
      branches,
      branch,
      sent,
      spread,
      seam,
      ...page
    } = others;
    const asked = { count, scenario, delay, reveal, sought, at, live, usage };
    return open({
      ...page,
      asked: {
        ...asked,
        breaks,
        left,
        offersRepair,
        refused,
        close,
        offer,
        mayBeLive,
        reconnected,
        branches,
        branch,
        sent,
        spread,
        seam,
      },
    });
  };
}
