import * as v from 'valibot';
import { type PanelNavigation, panelSchemas } from '../../protocol/channels/panel';
import { isTranscriptPath } from './transcriptPaths';

const { NAVIGATION, PATH } = panelSchemas;
const STATE = v.object({ filePath: v.pipe(PATH, v.check(isTranscriptPath)), ...NAVIGATION.entries });
const KEPT = v.array(v.object({ title: v.string(), navigation: STATE }));

/** A panel identified by the title of its tab, the only information VS Code has if it kept no state of the page. */
export interface KeptPanel {
  readonly title: string;
  readonly navigation: PanelNavigation;
}

/**
 * The position of a panel before the window was reloaded; null if unknown. `state` is what its page gave to VS Code. `kept`
 * are the panels that the extension saved, which are never older: VS Code in a browser saves the state of a page up to a
 * minute after the tab. A panel without a state is identified by its title, unless another panel had the same.
 */
export function readPanelState(state: unknown, kept: unknown, title: string): PanelNavigation | null {
  const checked = v.safeParse(KEPT, kept);
  const panels = checked.success ? checked.output : [];
  const parsed = v.safeParse(STATE, state);
  if (parsed.success) {
    const { filePath } = parsed.output;
    return panels.find(({ navigation }) => navigation.filePath === filePath)?.navigation ?? parsed.output;
  }
  const [panel, ...others] = panels.filter((each) => each.title === title);
  return panel === undefined || others.length > 0 ? null : panel.navigation;
}
