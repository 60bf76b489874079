import { describeFaults } from "../unit/rehearsal-host/fault-table/describe-faults.ts";

// Needs no hypervisor, but minutes of a CPU.
describeFaults("whole");
