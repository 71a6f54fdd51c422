import * as v from 'valibot';
import type { PanelNavigation } from '../../shared/api/conversation';
import { NAVIGATION, PATH } from './panelSchemas';
import { isTranscriptPath } from './transcriptPaths';

const STATE = v.object({ filePath: v.pipe(PATH, v.check(isTranscriptPath)), ...NAVIGATION.entries });
const KEPT = v.array(v.object({ title: v.string(), navigation: STATE }));

/** A panel by the title of its tab: all that VS Code says of one whose page it kept nothing of. */
export interface KeptPanel {
  readonly title: string;
  readonly navigation: PanelNavigation;
}

/** What a panel was about before the window was reloaded; null when VS Code kept nothing that says it. */
export function readPanelState(state: unknown): PanelNavigation | null {
  const checked = v.safeParse(STATE, state);
  return checked.success ? checked.output : null;
}

/** Where the panel with that title stood; null when none is known, or more than one. */
export function findKeptPanel(kept: unknown, title: string): PanelNavigation | null {
  const checked = v.safeParse(KEPT, kept);
  const [panel, ...others] = checked.success ? checked.output.filter((each) => each.title === title) : [];
  return panel === undefined || others.length > 0 ? null : panel.navigation;
}
