import { describeFaults } from "../unit/rehearsal/machine/fault-table/describe-faults.ts";

// Needs no hypervisor, but minutes of a CPU.
describeFaults("whole");
