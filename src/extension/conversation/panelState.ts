import * as v from 'valibot';
import { type PanelNavigation, panelSchemas } from '../../protocol/channels/panel';
import { isTranscriptPath } from './transcriptPaths';

const { NAVIGATION, PATH } = panelSchemas;
const STATE = v.object({ filePath: v.pipe(PATH, v.check(isTranscriptPath)), ...NAVIGATION.entries });
const KEPT = v.array(v.object({ title: v.string(), navigation: STATE }));

/** A panel by the title of its tab: all that VS Code says of one whose page it kept nothing of. */
export interface KeptPanel {
  readonly title: string;
  readonly navigation: PanelNavigation;
}

/**
 * What a panel was about before the window was reloaded, and where it stood; null when nothing says it. `state` is what its
 * page gave to VS Code, `kept` the panels that the extension itself kept, which is never older: a VS Code in a browser
 * writes down the tab, and what its page says of itself up to a minute later. A panel without a state is known by its title,
 * unless another one had the same.
 */
export function readPanelState(state: unknown, kept: unknown, title: string): PanelNavigation | null {
  const checked = v.safeParse(KEPT, kept);
  const panels = checked.success ? checked.output : [];
  const told = v.safeParse(STATE, state);
  if (told.success) {
    const { filePath } = told.output;
    return panels.find(({ navigation }) => navigation.filePath === filePath)?.navigation ?? told.output;
  }
  const [panel, ...others] = panels.filter((each) => each.title === title);
  return panel === undefined || others.length > 0 ? null : panel.navigation;
}
