import * as vscode from 'vscode';
import {
  type HitPlace,
  type OpenManner,
  type SearchedProject,
  type SearchForm,
  type SearchNavigation,
  type SearchStart,
  searchViewChannel,
  type SearchViewCalls,
  searchViewSchemas,
} from '../../protocol/channels/searchView';
import type { SearchMatch } from '../../protocol/channels/search';
import { CONTEXT_KEYS, SEARCH_VIEW } from '../config/contributions';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { projectAppearance } from '../sessions/projectNodes';
import type { SideBarWidth } from '../sessions/sideBarWidth';
import { sessionLabel } from '../text/sessionTitle';
import { loadPage } from '../webviews/loadPage';
import { PageChannel } from '../webviews/page';
import { SearchModel } from './searchModel';
import { searchTexts } from './searchTexts';

/** The key in the workspace state under which the search is stored. */
const KEPT_SEARCH = 'search';

/** The Search view: searches all sessions, and opens conversations at what was found. */
export class SearchFeature extends Disposable {
  readonly #model: SearchModel;
  readonly #view: SearchView;

  constructor(
    services: Services,
    private readonly panels: ConversationPanels,
    width: SideBarWidth,
  ) {
    super();
    const { client, describe, formats, home, now, t } = services;
    const model = this._register(
      new SearchModel(
        {
          client,
          describe,
          now,
          describeSession: (match) => ({
            title: sessionLabel({ title: match.title, id: match.sessionId }, t),
            age: match.lastMessageMs === null ? null : formats.age(match.lastMessageMs, now()),
            project: searchedProject({ folder: match.projectFolder, cwd: match.cwd }, services),
          }),
        },
        home.workspaceState.get(KEPT_SEARCH),
      ),
    );
    this.#model = model;
    let hasHits = false;
    this._register(
      model.onNews(() => {
        if (model.hasHits === hasHits) return;
        hasHits = model.hasHits;
        void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.hasSearchResults, hasHits);
      }),
    );
    this.#view = this._register(
      new SearchView(services, model, {
        open: (hit, manner) => {
          this.#open(hit, manner === 'preview' ? { isPreview: true, keepsFocus: true } : {});
        },
        resized: (pixels) => {
          width.tell(pixels);
        },
        keep: () => void home.workspaceState.update(KEPT_SEARCH, model.kept),
      }),
    );
    this._register(vscode.window.registerWebviewViewProvider(SEARCH_VIEW, this.#view));
  }

  /** Shows the view, with the focus where the person types. */
  focus(): Promise<void> {
    return this.#view.focusInput();
  }

  /** Opens the next hit (1) or the previous one (-1), in the order of the view. The focus stays in the view if it is there. */
  step(by: 1 | -1): void {
    const hit = this.#model.step(by);
    if (hit === null) return;
    this.#view.keep();
    this.#open(hit, { isPreview: true, keepsFocus: this.#view.hasFocus });
  }

  #open({ filePath, line }: HitPlace, place: Parameters<ConversationPanels['open']>[1]): void {
    const { text, isRegExp, isCaseSensitive } = this.#model.kept.form;
    const find = { text, isRegExp, isCaseSensitive, roles: [], tool: null };
    this.panels.open({ filePath, line, find }, place);
  }
}

interface SearchViewDeps {
  readonly open: (hit: HitPlace, manner: OpenManner) => void;
  readonly resized: (pixels: number) => void;
  /** Stores the search for the next time that the window is loaded. */
  readonly keep: () => void;
}

/** The view's page is discarded whenever the view is hidden, and rebuilt from the model. */
class SearchView extends Disposable implements vscode.WebviewViewProvider, SearchViewCalls {
  #shown: vscode.WebviewView | null = null;
  #channel: PageChannel<typeof searchViewChannel> | null = null;
  /** The page has made its first call since the view was shown. */
  #isReady = false;
  #wantsInput = false;
  #hasFocus = false;
  #projects: readonly SearchedProject[] = [];

  constructor(
    private readonly services: Services,
    private readonly model: SearchModel,
    private readonly deps: SearchViewDeps,
  ) {
    super();
    this._register(
      services.model.onChange(() => {
        this.#projectsMayHaveChanged();
      }),
    );
  }

  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { describe, home, log } = this.services;
    const { webview } = view;
    const channel = new PageChannel({
      channel: searchViewChannel,
      calls: this,
      schemas: searchViewSchemas.calls,
      port: {
        post: (message) => void webview.postMessage(message),
        onMessage: (listener) => webview.onDidReceiveMessage(listener),
      },
      describe,
      onFailure: (call, error) => {
        log.warn(`Search view: ${call}: ${error instanceof Error ? error.message : String(error)}`);
      },
    });
    const telling = this.model.onNews((news) => {
      if (this.#isReady) channel.page.changed(news).catch(() => undefined);
    });
    [this.#shown, this.#channel, this.#isReady] = [view, channel, false];
    view.onDidChangeVisibility(() => {
      // The page that was hidden is gone.
      if (!view.visible) [this.#isReady, this.#hasFocus] = [false, false];
    });
    const close = (): void => {
      if (this.#shown === view)
        [this.#shown, this.#channel, this.#isReady, this.#hasFocus] = [null, null, false, false];
      telling.dispose();
      channel.dispose();
    };
    view.onDidDispose(close);
    this._register({ dispose: close });
    loadPage(webview, home.extensionUri, { bundle: 'search', title: view.title ?? '' });
  }

  async focusInput(): Promise<void> {
    this.#wantsInput = true;
    await vscode.commands.executeCommand(`${SEARCH_VIEW}.focus`);
    // Otherwise, the page asks when it is ready.
    if (!this.#isReady || this.#shown?.visible !== true) return;
    this.#wantsInput = false;
    this.#channel?.page.focusInput().catch(() => undefined);
  }

  keep(): void {
    this.deps.keep();
  }

  ready(): Promise<SearchStart> {
    const { services, model } = this;
    void services.model.start();
    model.resume();
    const { form, navigation, current } = model.kept;
    const focusInput = this.#wantsInput;
    [this.#isReady, this.#wantsInput] = [true, false];
    this.#projects = searchedProjects(services);
    return Promise.resolve({
      ...{ form, navigation, current, focusInput },
      sessions: model.sessions,
      status: model.status,
      projects: this.#projects,
      hasFolder: (vscode.workspace.workspaceFolders ?? []).length > 0,
      texts: searchTexts(services.t),
      locale: vscode.env.language,
    });
  }

  search(form: SearchForm): void {
    this.model.search(form);
    this.deps.keep();
  }

  navigated(navigation: SearchNavigation): void {
    this.model.navigated(navigation);
    this.deps.keep();
  }

  open(hit: HitPlace, manner: OpenManner): void {
    this.model.choose(hit);
    this.deps.keep();
    this.deps.open(hit, manner);
  }

  resized(pixels: number): void {
    this.deps.resized(pixels);
  }

  focused(hasFocus: boolean): void {
    this.#hasFocus = hasFocus;
  }

  #projectsMayHaveChanged(): void {
    if (!this.#isReady) return;
    const projects = searchedProjects(this.services);
    if (JSON.stringify(projects) === JSON.stringify(this.#projects)) return;
    this.#projects = projects;
    this.#channel?.page.projectsChanged(projects).catch(() => undefined);
  }
}

function searchedProjects(services: Services): readonly SearchedProject[] {
  return services.model.snapshot.projects.map((project) => searchedProject(project, services));
}

/** A project under the name that it has in the Sessions view. */
function searchedProject(
  { folder, cwd }: { readonly folder: string; readonly cwd: SearchMatch['cwd'] },
  { extraConfigDirOf, formats, homeDir, t }: Services,
): SearchedProject {
  const project = { folder, cwd, inWorkspace: false, sessions: [] };
  const { label, description } = projectAppearance(project, extraConfigDirOf(folder), homeDir, formats, t);
  return { folder, label, around: description };
}
