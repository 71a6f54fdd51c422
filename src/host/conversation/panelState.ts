import * as v from 'valibot';
import type { PanelNavigation } from '../../shared/api/conversation';
import { NAVIGATION, PATH } from './panelSchemas';
import { isTranscriptPath } from './transcriptPaths';

const STATE = v.object({ filePath: v.pipe(PATH, v.check(isTranscriptPath)), ...NAVIGATION.entries });

/** What a panel was about before the window was reloaded; null when VS Code kept nothing that says it. */
export function readPanelState(state: unknown): PanelNavigation | null {
  const checked = v.safeParse(STATE, state);
  return checked.success ? checked.output : null;
}
