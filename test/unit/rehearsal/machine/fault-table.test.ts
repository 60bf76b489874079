import { describeFaults } from "./fault-table/describe-faults.ts";

describeFaults("sample");
