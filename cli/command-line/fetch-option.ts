import { Option } from "commander";

/** Of commands that fetch what is missing: consent where nobody is asked. */
export function fetchOption(): Option {
  return new Option("-y, --yes", "fetch what is missing without asking").default(false);
}
