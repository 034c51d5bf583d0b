import { readQuery } from '../../query-client.ts'

/** The trader's own certificates. */
export const certificatesQuery = readQuery(['certificates'], '/api/user/certificates', () =>
  import('../../../../services/api/certificate-schemas.ts').then(({ Certificate }) => Certificate.array()),
)
