// Lint rules of the console: strict types, accessible markup, and nothing that the content security policy forbids.
import js from '@eslint/js';
import typescript from 'typescript-eslint';
import accessibility from 'eslint-plugin-jsx-a11y';
import hooks from 'eslint-plugin-react-hooks';

const nodeGlobals = {
  process: 'readonly',
  console: 'readonly',
  Buffer: 'readonly',
  URL: 'readonly',
  setTimeout: 'readonly',
  clearTimeout: 'readonly',
  Response: 'readonly',
  Headers: 'readonly',
  ReadableStream: 'readonly',
  TextEncoder: 'readonly',
};

export default typescript.config(
  { ignores: ['dist/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.mjs', '*.js'],
    languageOptions: { globals: nodeGlobals },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    extends: [...typescript.configs.recommendedTypeChecked, accessibility.flatConfigs.recommended],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'react-hooks': hooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/consistent-type-imports': 'error',
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: 'Text of users is rendered as text, never as HTML.',
        },
        {
          selector: "JSXAttribute[name.name='style'] > Literal",
          message: 'The content security policy forbids style attributes; use a class or an object.',
        },
        {
          selector: 'AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]',
          message: 'Text of users is rendered as text, never as HTML.',
        },
      ],
    },
  },
);
