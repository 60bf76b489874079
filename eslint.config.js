import tseslint from "typescript-eslint";

/** JavaScript itself: what runs before anything could translate it. */
const plain = ["*.js", "toolchain/program/*.js", "policy/pack.cjs"];

/** Imports that a room may not have. */
const barred = (regex, message) => ({
  "no-restricted-imports": ["error", { patterns: [{ regex, message }] }],
});

const asErrors = (selectors, message) => selectors.map((selector) => ({ selector, message }));

/** Decisions by words that are written for people. */
const byWords = asErrors(
  [
    "CallExpression[callee.property.name=/^(includes|startsWith|endsWith|match|matchAll|search)$/][callee.object.property.name='message']",
    "CallExpression[callee.property.name=/^(includes|startsWith|endsWith|match|matchAll|search)$/] > MemberExpression > CallExpression[callee.name=/^(messageOf|firstLineOf)$/]",
    "CallExpression[callee.property.name=/^(test|exec)$/] > MemberExpression[property.name='message']",
    "CallExpression[callee.property.name=/^(test|exec)$/] > CallExpression[callee.name=/^(messageOf|firstLineOf|resourceName|shortName)$/]",
    "BinaryExpression[operator=/^[!=]==$/][left.property.name='message']:not([right.name='undefined'])",
    "BinaryExpression[operator=/^[!=]==$/] > CallExpression[callee.name=/^(messageOf|firstLineOf|resourceName|shortName)$/]",
  ],
  "Decide by a class, a kind or another fact: words for people, and names of resources, may change.",
);

/** Other programs' errors that have nothing but words. */
const onlyWords = [
  "host/ssh/remote-files.ts",
  "components/controlplane/actions/create-kind-cluster.ts",
];

export default tseslint.config(
  {
    ignores: ["node_modules/", ".kindows/", "sdks/", "examples/", "components/dist/", "**/golden/"],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: plain },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/consistent-type-imports": "error",
    },
  },
  {
    ignores: ["rehearsal/**", "test/**"],
    rules: barred(
      "^(\\.\\./)+rehearsal/powershell/",
      "Nothing that a real `up` runs may import the interpreter.",
    ),
  },
  {
    files: ["rehearsal/bake/**", "rehearsal/image/**"],
    ignores: ["rehearsal/bake/keep-scripts.ts"],
    rules: barred(
      "^(\\.\\./)+(powershell|windows)/",
      "A real `up` may prepare the rehearsal's image: it may not import the interpreter.",
    ),
  },
  {
    files: ["rehearsal/powershell/*.ts"],
    rules: barred("^\\.\\./", "The interpreter knows nothing of Windows or of the project."),
  },
  {
    files: ["rehearsal/powershell/*/*.ts"],
    rules: barred("^\\.\\./\\.\\./", "The interpreter knows nothing of Windows or of the project."),
  },
  {
    files: ["rehearsal/windows/**"],
    rules: {
      ...barred("/components/", "The model of Windows knows no step of ours."),
      "no-restricted-syntax": [
        "error",
        ...["Literal[value", "TemplateElement[value.raw"].map((text) => ({
          selector: `${text}=/kindows|^C:.+\\\\k\\\\/i]`,
          message: "The model of Windows knows no step of ours, and no path.",
        })),
      ],
    },
  },
  {
    ignores: ["rehearsal/**", "test/**", ...onlyWords],
    rules: { "no-restricted-syntax": ["error", ...byWords] },
  },
  {
    files: ["cli/**"],
    ignores: ["cli/engine/**", "cli/logs/follow/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...byWords,
        ...asErrors(
          [
            // URNs.
            "Literal[value=/::|^urn:/]",
            "Literal[regex.pattern=/(^|[^?])::|urn:/]",
            "CallExpression[callee.property.name=/[wW]ith$|ncludes$|ndexOf$|split/] TemplateElement[value.raw=/::/]",
            // Command lines of steps and host actions.
            "CallExpression[callee.property.name=/^(match|includes|endsWith)$/] > Literal[value=/\\.(ts|ps1)$/]",
            "Literal[regex.pattern=/\\.(ts|ps1)\\b/]",
            // What the engine prints for people.
            "ImportSpecifier[imported.name='stripVTControlCharacters']",
          ],
          "Only cli/engine takes apart what the engine writes: read components' facts or its events.",
        ),
      ],
    },
  },
  {
    files: plain,
    ...tseslint.configs.disableTypeChecked,
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      "@typescript-eslint/explicit-module-boundary-types": "off",
    },
  },
);
