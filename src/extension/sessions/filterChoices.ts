import type { SessionsSnapshot } from '../../protocol/channels/sessions';
import { configDirOf } from '../config/settings';
import { type Formats, shortenHome } from '../text/formats';
import type { Translate } from '../text/translate';
import { projectAppearance } from './projectNodes';
import { FILTER_MARKS, type FilterMark, type FilterValue } from './sessionFilter';
import { existingConfigDirs } from './sessionsState';

/** VS Code draws the list again with each letter that is typed. */
const MAX_PROJECTS = 200;

/** A part of the filter that can be switched on and off. */
export interface FilterChoice {
  readonly label: string;
  readonly description: string;
  readonly isOn: boolean;
  /** The filter after it was switched. */
  readonly switched: Partial<FilterValue>;
}

export interface FilterChoices {
  readonly marks: readonly FilterChoice[];
  /** The largest ones if there are many, and those that are chosen. */
  readonly projects: readonly FilterChoice[];
  /** Empty if there is only one. */
  readonly configDirs: readonly FilterChoice[];
}

/** What the filter can consist of beside its text. */
export function filterChoices(
  snapshot: SessionsSnapshot,
  value: FilterValue,
  configDirs: readonly string[],
  homeDir: string,
  formats: Formats,
  t: Translate,
): FilterChoices {
  const sessionsText = (count: number): string =>
    count === 1 ? t('1 session') : t('{0} sessions', formats.number(count));
  const isChosen = (folder: string): boolean => value.projects.includes(folder);
  const projects = snapshot.projects.filter(
    ({ folder, sessions }, at) => isChosen(folder) || (at < MAX_PROJECTS && sessions.length > 0),
  );
  const folders = existingConfigDirs(configDirs, snapshot);
  return {
    marks: FILTER_MARKS.map((mark) => ({
      label: markLabel(mark, t),
      description: '',
      isOn: value.marks.includes(mark),
      switched: { marks: switched(value.marks, mark) },
    })),
    projects: projects.map((project) => {
      const { label, description } = projectAppearance(project, null, homeDir, formats, t);
      return {
        label,
        description: [sessionsText(project.sessions.length), description].filter((each) => each !== '').join(' · '),
        isOn: isChosen(project.folder),
        switched: { projects: switched(value.projects, project.folder) },
      };
    }),
    configDirs: (folders.length > 1 ? folders : []).map((path) => {
      const inIt = snapshot.projects.filter(({ folder }) => configDirOf(folder, [path]) !== null);
      return {
        label: shortenHome(path, homeDir),
        description: sessionsText(inIt.reduce((sum, { sessions }) => sum + sessions.length, 0)),
        isOn: value.configDirs.includes(path),
        switched: { configDirs: switched(value.configDirs, path) },
      };
    }),
  };
}

function switched<T>(chosen: readonly T[], each: T): readonly T[] {
  return chosen.includes(each) ? chosen.filter((other) => other !== each) : [...chosen, each];
}

function markLabel(mark: FilterMark, t: Translate): string {
  switch (mark) {
    case 'broken':
      return t('Broken');
    case 'repaired':
      return t('Repaired');
    case 'running':
      return t('Running');
    case 'waiting':
      return t('Waiting for You');
    case 'fork':
      return t('Forks');
    case 'expiring':
      return t('Expiring Soon');
    case 'thisFolder':
      return t('This Folder Only');
  }
}
