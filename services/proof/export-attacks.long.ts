// All forgeries that are chosen by seed, four times those of the usual run.
import './export-attacks.test.ts'
