// Runs once, when the database is created: the portal's user, who can read and write its own database only.
db.getSiblingDB('proofdesk').createUser({
  user: 'proofdesk',
  pwd: require('fs').readFileSync('/run/secrets/mongodb_password', 'utf8').trim(),
  roles: [{ role: 'readWrite', db: 'proofdesk' }],
})
