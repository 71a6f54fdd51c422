import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { SEARCH_AUTHORS, type SearchAuthor, type SearchPlace } from '../../protocol/channels/search';
import { SEARCH_DATES, type SearchDate, type SearchedProject } from '../../protocol/channels/searchView';
import { Icon } from '../ui/Icon';
import { useApp } from './searchApp';

/** What the person looks for, and the filters behind a button. */
export function SearchForm(): JSX.Element {
  const { state, t } = useApp();
  const input = useRef<HTMLInputElement>(null);
  const form = state.form.value;
  const asked = state.inputAsked.value;
  useLayoutEffect(() => {
    if (asked === 0) return;
    input.current?.focus();
    input.current?.select();
  }, [asked]);
  const isInvalid = state.status.value.kind === 'failed';
  const [hasFilters, count] = [state.hasFilters.value, state.filters.value];
  const filtersLabel = count === 0 ? t('Filters') : count === 1 ? t('Filters (1 set)') : t('Filters ({0} set)', count);
  const toggleCase = (): void => {
    state.edit({ isCaseSensitive: !state.form.peek().isCaseSensitive });
  };
  const toggleRegExp = (): void => {
    state.edit({ isRegExp: !state.form.peek().isRegExp });
  };
  return (
    <div
      role="search"
      class="form"
      aria-label={t('Search conversations')}
      onKeyDown={(event) => {
        if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
        // By the place of the key: with Alt, macOS enters another character.
        if (event.code === 'KeyC') toggleCase();
        else if (event.code === 'KeyR') toggleRegExp();
        else return;
        // VS Code must not open a menu.
        event.stopPropagation();
        event.preventDefault();
      }}
    >
      <div class="query">
        <div class={isInvalid ? 'field has-problem' : 'field'}>
          <input
            ref={input}
            type="text"
            class="text-input"
            aria-label={t('Search')}
            placeholder={t('Search')}
            aria-invalid={isInvalid}
            spellcheck={false}
            autocomplete="off"
            maxLength={MAX_TEXT}
            value={form.text}
            onInput={(event) => {
              state.edit({ text: event.currentTarget.value }, event.currentTarget.value !== '');
            }}
            onKeyDown={(event) => {
              if (event.isComposing) return;
              if (event.key === 'Enter') state.search();
              else if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('.tree')?.focus();
              else return;
              event.preventDefault();
            }}
          />
          <Toggle text="Aa" label={t('Match Case (Alt+C)')} isOn={form.isCaseSensitive} onPress={toggleCase} />
          <Toggle text=".*" label={t('Use Regular Expression (Alt+R)')} isOn={form.isRegExp} onPress={toggleRegExp} />
        </div>
        <button
          type="button"
          class={count === 0 ? 'icon-button' : 'icon-button is-marked'}
          title={filtersLabel}
          aria-label={filtersLabel}
          aria-expanded={hasFilters}
          onClick={() => {
            state.toggleFilters();
          }}
        >
          <Icon name="more" />
        </button>
      </div>
      {hasFilters && <Filters />}
    </div>
  );
}

/** In UTF-16 units. */
const MAX_TEXT = 10_000;
const MAX_NAME = 500;

function Filters(): JSX.Element {
  const { state, t } = useApp();
  const { author, tool, date, branch } = state.form.value;
  const authors: Record<SearchAuthor, string> = { you: t('You'), claude: t('Claude'), tools: t('Tools') };
  const dates: Record<SearchDate, string> = {
    any: t('Any time'),
    today: t('Today'),
    week: t('Last 7 days'),
    month: t('Last 30 days'),
    older: t('Older than 30 days'),
  };
  return (
    <div class="filters">
      <Choice
        label={t('Said by')}
        value={author ?? ''}
        onChoose={(value) => {
          state.edit({ author: SEARCH_AUTHORS.find((each) => each === value) ?? null });
        }}
      >
        <option value="">{t('Everybody')}</option>
        {SEARCH_AUTHORS.map((each) => (
          <option key={each} value={each}>
            {authors[each]}
          </option>
        ))}
      </Choice>
      <TextFilter
        label={t('Tool')}
        placeholder={t('Any tool')}
        // A person calls no tools.
        isDisabled={author === 'you'}
        value={tool}
        onType={(value) => {
          state.edit({ tool: value }, true);
        }}
      />
      <Choice
        label={t('Date')}
        value={date}
        onChoose={(value) => {
          state.edit({ date: SEARCH_DATES.find((each) => each === value) ?? 'any' });
        }}
      >
        {SEARCH_DATES.map((each) => (
          <option key={each} value={each}>
            {dates[each]}
          </option>
        ))}
      </Choice>
      <TextFilter
        label={t('Git branch')}
        placeholder={t('Any branch')}
        isDisabled={false}
        value={branch}
        onType={(value) => {
          state.edit({ branch: value }, true);
        }}
      />
      <ProjectChoice />
      {state.filters.value > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => {
            state.clearFilters();
            state.inputAsked.value++;
          }}
        >
          {t('Clear filters')}
        </button>
      )}
    </div>
  );
}

const WORKSPACE = 'workspace';
/** Before the folder of a project. */
const PROJECT = 'project:';

function ProjectChoice(): JSX.Element {
  const { state, t } = useApp();
  const { place } = state.form.value;
  const projects = state.projects.value;
  const isListed = place?.kind !== 'project' || projects.some(({ folder }) => folder === place.folder);
  return (
    <Choice
      label={t('Project')}
      isWide
      value={valueOf(place)}
      onChoose={(value) => {
        state.edit({ place: placeOf(value) });
      }}
    >
      <option value="">{t('All projects')}</option>
      {(state.hasFolder.value || place?.kind === 'workspace') && <option value={WORKSPACE}>{t('This folder')}</option>}
      {!isListed && <option value={valueOf(place)}>{t('A project that is gone')}</option>}
      {projects.map((project) => (
        <option key={project.folder} value={`${PROJECT}${project.folder}`}>
          {projectName(project, projects)}
        </option>
      ))}
    </Choice>
  );
}

function valueOf(place: SearchPlace | null): string {
  if (place === null) return '';
  return place.kind === 'workspace' ? WORKSPACE : `${PROJECT}${place.folder}`;
}

function placeOf(value: string): SearchPlace | null {
  if (value === WORKSPACE) return { kind: 'workspace' };
  return value.startsWith(PROJECT) ? { kind: 'project', folder: value.slice(PROJECT.length) } : null;
}

function projectName({ label, around }: SearchedProject, projects: readonly SearchedProject[]): string {
  const isUnique = projects.filter((each) => each.label === label).length === 1;
  return isUnique || around === '' ? label : `${label} (${around})`;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly isWide?: boolean;
  readonly onChoose: (value: string) => void;
  readonly children: ComponentChildren;
}

function Choice({ label, value, isWide = false, onChoose, children }: ChoiceProps): JSX.Element {
  return (
    <label class={isWide ? 'filter is-wide' : 'filter'} title={label}>
      <span class="filter-label">{label}</span>
      <select
        class="select"
        value={value}
        onChange={(event) => {
          onChoose(event.currentTarget.value);
        }}
      >
        {children}
      </select>
    </label>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly isDisabled: boolean;
  readonly value: string;
  readonly onType: (value: string) => void;
}

function TextFilter({ label, placeholder, isDisabled, value, onType }: TextFilterProps): JSX.Element {
  return (
    <label class="filter" title={label}>
      <span class="filter-label">{label}</span>
      <input
        type="text"
        class="filter-input"
        placeholder={placeholder}
        disabled={isDisabled}
        spellcheck={false}
        maxLength={MAX_NAME}
        value={value}
        onInput={(event) => {
          onType(event.currentTarget.value);
        }}
      />
    </label>
  );
}

interface ToggleProps {
  readonly text: string;
  readonly label: string;
  readonly isOn: boolean;
  readonly onPress: () => void;
}

function Toggle({ text, label, isOn, onPress }: ToggleProps): JSX.Element {
  return (
    <button type="button" class="toggle" title={label} aria-label={label} aria-pressed={isOn} onClick={onPress}>
      {text}
    </button>
  );
}
