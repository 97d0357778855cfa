// Starts the console.
import './first-requests';
import { render } from 'preact';
import { App } from './app';
import { applyStoredTheme } from './theme';
import './styles/index.css';

applyStoredTheme();
const root = document.getElementById('app');
if (root) render(<App />, root);
