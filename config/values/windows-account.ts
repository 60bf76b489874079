import { ofForm } from "./value.ts";

export const adminUser = ofForm(
  /^[A-Za-z][A-Za-z0-9._-]{0,19}$/,
  "is not a local Windows account name",
  "Write at most 20 letters, digits, ., _ and -, starting with a letter, e.g. Administrator.",
);
