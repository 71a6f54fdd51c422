// Runs in every frame of the window before the frame's own scripts.
import './pageProbe';
import { watchList } from './listChanges';
import { paintedWith } from './paintedWith';
import { scrollThrough } from './scrollThrough';
import { watchOpening } from './watchOpening';

Object.assign(window, { rethreadProbe: { seen: watchOpening(), paintedWith, scrollThrough, watchList } });
