// Starts the console.
import { longText } from './first-requests';
import { render } from 'preact';
import { freeSlotsWhileHidden } from './api/stream-slots';
import { App } from './app';
import { warmUp } from './pages/job/warm-up';
import { applyStoredTheme } from './theme';
import './styles/index.css';

applyStoredTheme();
freeSlotsWhileHidden();
const root = document.getElementById('app');
if (root) render(<App />, root);
void longText.then((isOnItsWay) => isOnItsWay && warmUp());
