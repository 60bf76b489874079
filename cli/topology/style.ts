/** Colours of one of the two ways a page is shown. */
interface Palette {
  readonly text: string;
  readonly faint: string;
  readonly back: string;
  readonly thing: string;
  readonly line: string;
  readonly maker: string;
  readonly docker: string;
  readonly dockerLine: string;
  readonly segment: string;
  readonly segmentLine: string;
  readonly libvirt: string;
  readonly libvirtLine: string;
}

const light: Palette = {
  text: "#1b1f24",
  faint: "#57606a",
  back: "#ffffff",
  thing: "#ffffff",
  line: "#8c959f",
  maker: "#f6f8fa",
  docker: "#ddf4ff",
  dockerLine: "#54aeff",
  segment: "#fff8c5",
  segmentLine: "#9a6700",
  libvirt: "#dafbe1",
  libvirtLine: "#2da44e",
};

const dark: Palette = {
  text: "#e6edf3",
  faint: "#9ea7b3",
  back: "#0d1117",
  thing: "#161b22",
  line: "#6e7681",
  maker: "#161b22",
  docker: "#0c2d4a",
  dockerLine: "#388bfd",
  segment: "#3b2e06",
  segmentLine: "#d29922",
  libvirt: "#0f2f1a",
  libvirtLine: "#3fb950",
};

/** The picture's style sheet: as the page is shown, light or dark. */
export const styleSheet = [
  "text { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif; }",
  ".name { font-size: 13px; font-weight: bold; }",
  ".small { font-size: 11.5px; }",
  "rect { stroke-width: 1.5; }",
  ".flow { stroke-width: 1.5; fill: none; marker-end: url(#tip); }",
  ".plug { stroke-width: 3; }",
  ...rules(light),
  "@media (prefers-color-scheme: dark) {",
  ...rules(dark).map((rule) => `  ${rule}`),
  "}",
].join("\n");

function rules(palette: Palette): readonly string[] {
  const { text, faint, back, thing, line, maker } = palette;
  return [
    `.name { fill: ${text}; }`,
    `.small { fill: ${faint}; }`,
    `.back, .host { fill: ${back}; stroke: ${line}; }`,
    `.thing { fill: ${thing}; stroke: ${line}; }`,
    `.maker { fill: ${maker}; stroke: ${line}; }`,
    `.docker { fill: ${palette.docker}; stroke: ${palette.dockerLine}; }`,
    `.segment { fill: ${palette.segment}; stroke: ${palette.segmentLine}; }`,
    `.libvirt { fill: ${palette.libvirt}; stroke: ${palette.libvirtLine}; }`,
    `.plug { stroke: ${palette.segmentLine}; }`,
    `.flow { stroke: ${faint}; }`,
    `.tip { fill: ${faint}; }`,
  ];
}
