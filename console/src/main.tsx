// Starts the console.
import './shared';
import { render } from 'preact';
import { App } from './app';
import { loadSession } from './session';
import { applyStoredTheme } from './theme';
import { route } from './router';
import './styles/index.css';

applyStoredTheme();
if (route.value.page !== 'sign-in') void loadSession();
const root = document.getElementById('app');
if (root) render(<App />, root);
