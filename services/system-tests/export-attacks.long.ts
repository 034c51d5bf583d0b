// With test:long, this tries all forgeries, not only every fourth of each kind.
import './export-attacks.test.ts'
