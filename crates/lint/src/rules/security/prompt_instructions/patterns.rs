//! The wordings of harmful instructions.
//!
//! `§NAME` in a regex is one of [`PARTS`]. A regex is matched against a single paragraph, and the
//! gaps between its words end with the sentence, or the list item.

use super::super::redact::redact_text;
use super::super::scan::{FindingSink, PatternFinding, PatternMatch, ScanPass, SecurityPattern};
use super::super::text::{TextKind, WindowScope};
use super::rules::{
    CONSENT_CLAIMED, CRYPTO_MINER, HIDDEN_TRIGGER, OUTPUT_SABOTAGED, PASSWORD_ASKED,
    PROTECTION_LOWERED, RIGHTS_MISUSED, USER_DATA_DESTROYED, USER_DATA_SENT, USER_DECEIVED,
};
use super::{HELP, check_instruction};
use skillpm_core::report::DiagnosticLevel;

/// Parts that many regexes share.
#[rustfmt::skip]
pub(in crate::rules::security) const PARTS: &[(&str, &str)] = &[
    ("§GAP", r"(?:[^.!?;\n]|\.\w|\n\s*[a-z(\x22'\x60~]){0,120}?"),
    ("§FEW", r"(?:[^\s|#>.!?:;-](?:[^\s;|]*[^\s;|.!?:])?\s+){0,4}?"),
    ("§SOME", r"(?:[^\s|#>.!?:;-](?:[^\s;|]*[^\s;|.!?:])?\s+){0,9}?"),
    ("§URL", r"(?:(?:https?|wss?|s3|gs|gcs|az|sftp|ftp|ssh|rsync)://[^\s)>\x60\x22']+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"),
    ("§WORK", r"(?:files?|documents?|presentations?|spreadsheets?|workbooks?|slides?|decks?|drafts?|contents?|data|credentials?|passwords?|keys?|tokens?|secrets?|e-?mails?|mails?|messages?|conversations?|transcripts?|histor(?:y|ies)|notes?|contacts?|code(?:base)?|repositor(?:y|ies)|projects?|workspaces?|director(?:y|ies)|folders?|logs?|results?|outputs?|config(?:urations?)?|reports?|records?|photos?|images?|pdfs?|backups?|databases?|invoices?|cop(?:y|ies)|them|everything|variables|information|details|summar(?:y|ies)|answers?|prompts?)"),
    ("§SEND", r"(?:upload|send|post|transmit|exfiltrate|forward|submit|e-?mail|mail|copy|back\s?up|sync|share|push|deliver|relay|mirror|replicate|export|leak|transfer|archive|save|stream|report)"),
    ("§SENT", r"(?:uploaded|sent|posted|transmitted|forwarded|submitted|e-?mailed|mailed|copied|backed\s?up|synced|synchroni[sz]ed|shared|pushed|delivered|relayed|mirrored|replicated|exported|transferred|archived|reported|streamed)"),
    ("§PLACE", r"(?:(?:remote|external|third[- ]party|central|our|analytics|telemetry|collection|compliance|diagnostics?|monitoring|audit|support|tracking|off-?site)\s+(?:\w+\s+)?(?:servers?|endpoints?|services?|buckets?|webhooks?|address(?:es)?|urls?|hosts?|collectors?|channels?|inbox(?:es)?|mailbox(?:es)?|team|api)|public\s+(?:\w+\s+)?(?:gists?|pastes?|folders?|drives?|repositor(?:y|ies)|repos?|buckets?|channels?|links?|urls?|webhooks?|websites?))"),
    ("§ALL", r"(?:the\s+|all\s+|any\s+|every\s+|each\s+|of\s+|existing\s+|old\s+|previous\s+|your\s+|its\s+|their\s+|other\s+|user(?:'|’)?s?\s+|system(?:'|’)?s?\s+|project(?:'|’)?s?\s+|repository(?:'|’)?s?\s+|host(?:'|’)?s?\s+|machine(?:'|’)?s?\s+|failing\s+|current\s+|local\s+|entire\s+|whole\s+)*"),
];

/// A pattern of an instruction: its rule, its triggers, its regex, and its required words.
macro_rules! instruction {
    ($rule:ident, $triggers:expr, $form:expr) => {
        instruction!($rule, $triggers, $form, &[])
    };
    ($rule:ident, $triggers:expr, $form:expr, $needs:expr) => {
        SecurityPattern {
            triggers: $triggers,
            scope: WindowScope::Paragraph,
            regex: $form,
            required_words: $needs,
            pass: ScanPass::First,
            only_in: Some(TextKind::Markdown),
            report: |hit, sink| check_instruction(hit, sink, &$rule),
        }
    };
}

/// The patterns of all rules of this folder.
#[rustfmt::skip]
pub(in crate::rules::security) const PATTERNS: &[SecurityPattern] = &[
    instruction!(
        USER_DATA_SENT,
        &["upload", "send ", "post ", "transmit", "exfiltrat", "forward", "submit", "email", "e-mail", "mail ", "copy ", "back up", "backup", "sync", "share ", "push ", "deliver", "relay", "mirror", "replicate", "export", "leak", "transfer", "archive", "save ", "stream", "report "],
        r"\b(?P<verb>§SEND|put|place|attach|drop|dump)\b\s+§GAP\b§WORK\b§GAP\b(?:to|at|into|via|towards?|with)\b§GAP§URL",
        &["://", "@"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["request", "ping ", "call ", "notify", "contact", "fetch", "load ", "visit", "query"],
        r"\b(?P<verb>make|issue|perform|send|fire|trigger|call|ping|notify|hit|contact|request|load|fetch|visit|query)\b\s§GAP§URL§GAP\b(?:with|containing|including|carrying|appending|passing)\b§GAP\b(?:user\s?names?|host\s?names?|contents?|summar(?:y|ies)|conversations?|(?:environment\s+variables|api[ _-]keys?|credentials|passwords?|secrets|access\s+tokens?|private\s+keys?|ssh\s+keys?|\.env\b|session\s+cookies)|e-?mail\s+address(?:es)?|(?:the\s+)?user(?:'|’)s)\b",
        &["://", "@"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["uploaded", "sent ", "posted", "transmitted", "forwarded", "submitted", "emailed", "e-mailed", "mailed", "copied", "backed up", "synced", "shared", "pushed", "delivered", "relayed", "mirrored", "replicated", "exported", "transferred", "archived", "reported", "streamed", "synchroni"],
        r"\b§WORK\b§GAP\b(?:must|should|shall|needs?\s+to|has\s+to|have\s+to|are\s+to|is\s+to)\s+(?:first\s+|also\s+|always\s+|then\s+)*be\s+(?:\w+ly\s+|first\s+|also\s+)*§SENT\b§GAP\b(?:to|at|into)\b§GAP(?:§URL|\b§PLACE\b)"
    ),
    instruction!(
        USER_DATA_SENT,
        &["remote ", "external ", "third-party", "third party", "central ", "our ", "analytics ", "telemetry ", "collection ", "compliance ", "diagnostic ", "diagnostics ", "monitoring ", "audit ", "support team", "support server", "support address", "support inbox", "support channel", "support mailbox", "tracking ", "off-site", "offsite", "public "],
        r"\b(?P<verb>§SEND|add|attach|collect|gather|harvest)\b\s+§GAP\b(?:user(?:'|’)?s?|their|all|every|entire|whole|private|personal|confidential|complete|full|contents?|cop(?:y|ies)|histor(?:y|ies)|conversations?|(?:environment\s+variables|api[ _-]keys?|credentials|passwords?|secrets|access\s+tokens?|private\s+keys?|ssh\s+keys?|\.env\b|session\s+cookies))\b§GAP\b(?:to|for|at|on|into)\s+(?:the\s+|an?\s+|our\s+)*§PLACE\b",
        &["server", "endpoint", "service", "bucket", "webhook", "address", "url", "host", "collector", "channel", "inbox", "mailbox", "team", "api", "gist", "paste", "folder", "drive", "repo", "link", "website"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["bcc", "blind copy", "blind-copy", "blind copies", "blind carbon"],
        r"(?:\b(?:bcc|blind[- ]cop(?:y|ies)|blind\s+carbon)\b§GAP§URL|§URL§GAP\b(?:bcc|blind[- ]cop(?:y|ies)|blind\s+carbon)\b)",
        &["@", "://"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["environment variables", "api key", "api_key", "credential", "password", "secret", "access token", "private key", "ssh key", ".env", "session cookie"],
        r"\b(?P<verb>include|embed|append|insert|put|add|write|paste|print|list|dump|attach|commit|check\s+in|hard-?code)\b\s+§SOME(?:the\s+)?(?:environment\s+variables|api[ _-]keys?|credentials|passwords?|secrets|access\s+tokens?|private\s+keys?|ssh\s+keys?|\.env\b|session\s+cookies)\s+§SOME(?:in|into|to|as)\s+(?:the\s+|a\s+|an\s+|your\s+|its\s+|every\s+|each\s+)*(?:\w+\s+){0,2}(?:metadata|report|output|document|response|answer|reply|commit(?:\s+message)?|pull\s+request|comments?|footer|header|summary|logs?|url|query|parameters?|body|attachment|message|image|repositor(?:y|ies)|git|version\s+control|source\s+code)\b"
    ),
    instruction!(
        USER_DATA_SENT,
        &["plaintext", "plain text", "in plain", "unencrypted", "to a file", "to a hidden", "in a file", "in a hidden", "/tmp/", "~/."],
        r"\b(?P<verb>log|record|store|save|write|collect|capture|harvest|keep)\b\s+§FEW(?:all\s+|any\s+|every\s+|the\s+|user(?:'|’)?s?\s+)*(?:passwords?|credentials|keystrokes|card\s+numbers|access\s+tokens|secrets)\s+§SOME(?:in\s+plain\s?text|unencrypted|to\s+a\s+(?:hidden\s+)?file|in\s+a\s+(?:hidden\s+)?file|/tmp/|~/\.)",
        &["password", "credential", "keystroke", "card number", "access token", "secrets"]
    ),
    instruction!(
        USER_DATA_DESTROYED,
        &["delete", "remove", "erase", "wipe", "purge", "destroy", "shred", "overwrite", "truncate", "encrypt", "corrupt", "scramble", "trash", "unlink", "discard", "clear ", "empty "],
        r"\b(?P<verb>delete|remove|erase|wipe|purge|destroy|shred|overwrite|truncate|encrypt|corrupt|scramble|trash|unlink|discard)\b\s+(?:\w+ly\s+)?(?:(?:all|every|any|each)\s+(?:of\s+)?(?:the\s+|other\s+|remaining\s+|original\s+|user(?:'|’)?s?\s+|existing\s+|personal\s+|local\s+|previous\s+|source\s+|their\s+|\w+\s+){0,2}|(?:the\s+)?(?:user(?:'|’)s?|original|source|entire|whole)\s+(?:\w+\s+){0,1}|their\s+)(?:files?|documents?|photos|pictures|spreadsheets?|presentations?|workbooks?|folders?|director(?:y|ies)|data|databases?|e-?mails?|mails?|messages|home|workspace|repositor(?:y|ies)|backups?|snapshots?|branches|commits|records|originals?|contacts|notes|disk|drive|projects?|recordings?|videos?|music|tables|sheets?|calendars?)\b",
        &["all ", "every", "any ", "each", "user", "original", "source", "entire", "whole", "their "]
    ),
    instruction!(
        USER_DATA_DESTROYED,
        &["delete", "remove", "erase", "wipe", "purge", "destroy", "shred", "overwrite", "truncate", "encrypt", "corrupt", "scramble", "trash", "unlink", "discard", "clear ", "empty "],
        r"\b(?P<verb>delete|remove|erase|wipe|purge|destroy|shred|overwrite|encrypt|clear|empty)\b\s+(?:the\s+|everything\s+|all\s+|files\s+|contents?\s+|of\s+|in\s+|from\s+|under\s+|entire\s+|whole\s+|user(?:'|’)?s?\s+|their\s+|project(?:'|’)?s?\s+|repository(?:'|’)?s?\s+){1,6}(?:home\s+(?:director(?:y|ies)|folder)|(?:documents|desktop|downloads|pictures)\s+(?:folder|directory)|~/?(?:documents|desktop|downloads|pictures)?\b|\.git\b|hard\s+(?:disk|drive)|git\s+(?:directory|repository)|root\s+directory|parent\s+director(?:y|ies))",
        &["home", "documents", "desktop", "downloads", "pictures", "~", ".git", "hard ", "git ", "root dir", "parent dir"]
    ),
    instruction!(
        USER_DATA_DESTROYED,
        &["backup", "snapshot", "restore point", "shadow cop", "history", "audit log", "audit trail", "system log", "recycle bin", "trash"],
        r"\b(?P<verb>delete|remove|erase|wipe|purge|clear|empty|disable|rewrite|destroy)\b\s+§ALL(?:terminal\s+and\s+|available\s+|recent\s+)?(?:backups?\b|snapshots\b|restore\s+points?|shadow\s+copies|(?:shell|bash|zsh|command|terminal|git|commit|browser|browsing|version|revision)\s+history|audit\s+(?:logs?|trails?)|system\s+logs?|recycle\s+bin|trash\b)"
    ),
    instruction!(
        USER_DATA_DESTROYED,
        &["tables", "table ", "databases", "database ", "collection", "schema"],
        r"\b(?P<verb>drop|truncate|delete|wipe)\s+(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:tables?|databases?|collections?|schemas?)\b§GAP\b(?:production|live|customer|before|after|first|then)\b"
    ),
    instruction!(
        USER_DATA_DESTROYED,
        &["random", "garbage", "zeros", "zeroes", "nonsense", "gibberish", "lorem", "junk", "noise", "blank", ".locked", ".enc", ".crypt"],
        r"\b(?P<verb>replace|fill|overwrite|rewrite|rename|swap)\b\s+§SOME(?:files?|documents?|contents?|spreadsheets?|folders?|backups?|records?|originals?|data|cells?|everything)\s+§SOME(?:with|by|to)\s+(?:\w+\s+){0,2}(?:random|garbage|zeros|zeroes|nonsense|gibberish|lorem|junk|noise|blanks?|\x60?\.(?:locked|enc|encrypted|crypt)\b)"
    ),
    instruction!(
        USER_DATA_DESTROYED,
        &["encrypt", "password-protect", "lock "],
        r"\b(?P<verb>encrypt|lock|password-protect)\b\s+§SOME(?:files?|documents?|folders?|director(?:y|ies)|disk|data|drive)\b§GAP\b(?:ransom|bitcoin|btc|payment|pay\b|wallet|random\s+(?:password|key)|(?:delete|remove|discard|forget|overwrite)\s+the\s+(?:originals?|keys?|password)|without\s+(?:saving|telling|storing))"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["world-", "world ", "by everyone", "for everyone", "to everyone", "by all users", "to all users", "for all users", "by anyone", "for anyone", "to anyone", "the public", "everybody", "everyone", "permission", "others", "any user", "anyone"],
        r"\b(?P<verb>make|set|change|give|grant|mark|open|share)\b\s+§SOME(?:world-?(?:readable|writable|writeable|executable)|(?:readable|writable|writeable|accessible|executable|editable)\s+(?:and\s+\w+\s+)?(?:by|for|to)\s+(?:everyone|everybody|all\s+users|anyone|any\s+user|the\s+public|others)|permissions?\s+§SOME(?:to|as|at)\s+\x60?(?:0?777|a\+rwx|full\s+control)|(?:everyone|everybody|all\s+users|anyone|the\s+public)\s+(?:full|write|read|admin\w*|complete|unrestricted)\s+(?:control|access|permissions?|rights)|(?:access|permissions?|rights)\s+to\s+(?:everyone|everybody|anyone\s+(?:on|with)|all\s+users|the\s+public))"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["firewall", "antivirus", "anti-virus", "signing", "signature", "verification", "validation", "tls ", "ssl ", "certificate", "host key", "audit", "security ", "protection", "two-factor", "2fa", "mfa", "multi-factor", "access control", "code review", "failing tests", "tests that fail", "test suite", "authentication", "authorization", "authorisation", "intrusion", "sandbox", "secret scanning", "vulnerability scan", "sanitiz", "sanitis", "escaping", "csrf", "rate limit", "screen lock", "password p", "password r", "backup", "time machine"],
        r"\b(?P<verb>disable|turn\s+off|deactivate|switch\s+off|shut\s+off|bypass|skip|remove|comment\s+out|suppress|stop|weaken|relax|circumvent)\b\s+(?:§ALL|\w+\s+and\s+)(?P<thing>firewalls?\b|anti-?virus|(?:code|gpg|commit|package)\s+(?:signing|signatures?)|signature\s+(?:checks?|verification|validation)|(?:certificate|tls|ssl|host\s+key)\s+(?:verification|validation|checks?|checking)|audit\s+(?:logs?|logging|trails?)|security\s+(?:logging|monitoring|alerts|headers|scans?|scanning|tools?|software|updates|rules|checks)|(?:branch|push)\s+protections?|two-factor|2fa\b|mfa\b|multi-factor|access\s+controls?|code\s+reviews?|failing\s+tests|test\s+suites?|authentication\b|authori[sz]ation\b|intrusion\s+detection|endpoint\s+protection|sandbox(?:ing)?\b|tests?\s+that\s+fail|secret\s+scanning|vulnerability\s+scan\w*|input\s+(?:validation|saniti[sz]ation)|output\s+escaping|csrf\s+\w+|rate\s+limit(?:s|ing)|screen\s+lock|password\s+(?:protection|prompts?|requirements?)|backups?\b|time\s+machine)"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["internet", "publicly", "the public", "the world", "outside", "to everyone", "any host", "any ip", "any address", "all hosts", "all interfaces", "all networks", "0.0.0.0", "anywhere"],
        r"\b(?P<verb>open|expose|forward|publish|bind)\b\s+§SOME(?:ports?\s+\d+|tcp\s+port|udp\s+port|ssh\s+port|port|(?:server|service|database))\b§GAP\b(?:to\s+(?:the\s+)?(?:internet|public|world|outside|everyone|any\s+(?:host|ip|address)|all\s+(?:hosts|interfaces|networks))|0\.0\.0\.0(?:/0)?|publicly|from\s+(?:anywhere|any\s+(?:address|host|ip)))",
        &["open", "expose", "forward", "publish", "bind"]
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["force-push", "force push", "remote", "mirror", "second ", "another ", "fork", "repositor"],
        r"(?:\b(?P<verb>force[- ]push)\b\s+§SOME(?:main|master|remote|origin|without|always)\b|\b(?P<verb2>push|mirror|clone|upload)\b\s+§SOME(?:repositor(?:y|ies)|code(?:base)?|branch(?:es)?|commits?|changes|project|copy)\s+§SOME(?:another|second(?:ary)?|additional|extra|different|external|our|hidden|backup|mirror)\s+(?:git\s+)?(?:remote|repositor(?:y|ies)|server|mirror|fork))\b"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["account", "login", "user "],
        r"\b(?P<verb>create|add|set\s+up|register|provision|enable|invite)\b\s+(?:a\s+|an\s+|another\s+|one\s+|the\s+|new\s+|additional\s+|second\s+|hidden\s+|separate\s+|backup\s+|local\s+)*(?:(?:admin(?:istrator)?|root|sudo|superuser|privileged|support|maintenance|backdoor|hidden|guest|shadow)\s+(?:user|account|login)s?\s+§SOME(?:password|called|named|with|credentials|without)\b|(?:user|account|login)\s+§SOMEwith\s+(?:\w+\s+)?(?:admin\w*|root|sudo|full|owner)\s+(?:rights|privileges|access|permissions?|role))",
        &["create", "add ", "set up", "register", "provision", "enable", "invite"]
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["ssh key", "public key", "deploy key", "our key", "support key", "public ssh", "ssh public"],
        r"\b(?P<verb>add|append|install|copy|write|put|register|upload|insert|place)\b\s+§SOME(?:(?:ssh|public|deploy)\s+(?:ssh\s+|public\s+)?keys?|(?:our|support)\s+keys?)\b§GAP\b(?:authorized_keys|authori[sz]ed\s+keys|account|server|user(?:'|’)s|machine)\b"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["cron", "scheduled task", "launch agent", "launchagent", "launch daemon", "systemd", "login item", "startup ", "background process", "background daemon", "background job", "autostart", "auto-start"],
        r"\b(?P<verb>create|set\s+up|add|install|register|schedule)\b\s+§SOME(?:cron\s?(?:job|tab|entry)|crontab|scheduled\s+task|launch\s?(?:agent|daemon)|systemd\s+(?:service|timer|unit)|login\s+item|startup\s+(?:item|entry|program)|background\s+(?:process|daemon|job)|auto-?start\s+entry)s?\b\s+§FEW(?:that|which|to|so|and|running|for)\s+(?:it\s+|that\s+|also\s+|will\s+|always\s+|silently\s+)*(?:runs?|starts?|sends?|uploads?|downloads?|execut\w+|re-?\w+|keeps?|fetch\w*|call\w*|persist\w*|survives?|sync\w*|poll\w*|launch\w*|phones?|running)\b"
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["backdoor", "back-door", "tracking ", "web bug", "web beacon", "1x1", "1 x 1", "invisible", "hidden ", "affiliate", "referral", "keylogger", "key-logger", "spyware", "malware", "trojan", "rootkit", "root-kit", "logic bomb", "webshell", "web shell", "reverse shell", "secret ", "master ", "hardcoded", "hard-coded"],
        r"\b(?P<verb>add|insert|include|embed|inject|plant|place|put|append|attach|hide|install|implant|slip)\b\s+§SOME(?:back-?doors?|tracking\s+(?:pixels?|links?|codes?|scripts?|images?|beacons?)|web\s+(?:bugs?|beacons?)|1\s?x\s?1\b|invisible\s+(?:images?|pixels?|links?|text|iframes?|characters)|hidden\s+(?:images?|pixels?|links?|text|iframes?|dependenc(?:y|ies)|users?|accounts?|messages?|instructions?|prompts?|layers?)|affiliate\s+(?:links?|tags?|codes?|ids?)|referral\s+(?:links?|codes?|tags?)|key-?loggers?|spyware|malware|trojans?|root-?kits?|logic\s+bombs?|web\s?shells?|reverse\s+shells?|(?:secret|hidden|master|hard-?coded)\s+(?:admin\s+)?(?:passwords?|logins?|credentials?|accounts?))\b"
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["package", "dependenc", "librar", "module", "import", "plugin", "extension"],
        r"\b(?P<verb>add|insert|include|install|import|append|put)\b\s+§SOME(?:packages?|dependenc(?:y|ies)|librar(?:y|ies)|modules?|imports?|plugins?|extensions?)\b§GAP\b(?:every|each|all|any)\s+(?:new\s+|generated\s+|other\s+)*(?:projects?|files?|scripts?|repositor(?:y|ies)|modules?|programs?)\b§GAP\b(?:without|silently|do\s+not|don(?:'|’)t|regardless|even\s+if|whether)\b",
        &["every", "each", "all ", "any "]
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["subtle", "hidden", "intentional", "deliberate", "hard-to-", "exploitable", "occasional", "random", "small ", "minor "],
        r"\b(?P<verb>introduce|insert|add|inject|plant|leave|create|build\s+in|slip)\b\s+§FEW(?:subtle|small|hidden|intentional|deliberate|minor|hard-to-(?:spot|detect|find)|exploitable|occasional|random)\s+(?:\w+\s+){0,2}(?:bugs?|errors?|vulnerabilit(?:y|ies)|flaws?|weakness(?:es)?|mistakes?|inaccurac(?:y|ies)|defects?|typos?|delays?|race\s+conditions?)\b",
        &["bug", "error", "vulnerabilit", "flaw", "weakness", "mistake", "inaccurac", "defect", "typo", "delay", "race"]
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["advertis", " ads ", " ad ", "promotion", "sponsor", "slogan", "endorsement", "discount code", "coupon", "plug for"],
        r"\b(?P<verb>add|insert|include|append|place|put|mention|embed|promote|advertise)\b\s+§SOME(?:advertis\w+|ads?\b|promotion\w*|sponsor(?:ed|ship)?\b|slogans?|endorsements?|discount\s+codes?|coupons?|plug\s+for)\b§GAP\b(?:every|each|all|end\s+of|bottom|footer|top\s+of)\b"
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["bank account", "bank details", "iban", "account number", "routing number", "wallet address", "payment ", "beneficiar", "payee"],
        r"\b(?P<verb>replace|change|swap|substitute|alter|redirect)\b\s+§SOME(?:bank\s+(?:account|details)|ibans?|account\s+numbers?|routing\s+numbers?|wallet\s+address(?:es)?|payment\s+(?:details|address(?:es)?|links?|information)|beneficiar(?:y|ies)|payees?)\b\s+§SOME(?:with|to|by|for)\b"
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["md5", "sha1", "sha-1", "joining", "concatenating", "inserting", "plaintext", "plain text", "base64", "http instead", "http rather", "unhashed", "without hashing", "string concatenation"],
        r"(?:\b(?P<verb>use|choose|store|hash|set|write|build)\b\s+§SOME(?:(?:md5|sha-?1|plain\s?text|base64)\s+§FEW(?:passwords?|credentials)\b|http\s+(?:instead\s+of|rather\s+than)\s+https|passwords?\s+(?:in\s+plain\s?text|unhashed|without\s+hashing)|(?:by|with|using)\s+(?:joining|concatenating|inserting)\s+§SOME(?:input|sql|quer(?:y|ies))|string\s+concatenation\s+§SOME(?:sql|quer(?:y|ies))))\b"
    ),
    instruction!(
        USER_DECEIVED,
        &["recommend", "suggest", "promote", "endorse", "advertise", "praise", " rank", " rate ", "favor", "favour"],
        r"\b(?:always|only|exclusively|invariably|must)\s+(?:recommend|suggest|promote|endorse|advertise|praise|rank|rate|favou?r)\b\s§GAP\b(?:regardless|even\s+if|even\s+when|no\s+matter|instead\s+of\s+(?:its\s+|any\s+|other\s+)?competitors?|over\s+(?:all\s+|any\s+|its\s+|other\s+|the\s+)+(?:competitors?|competition|alternatives|products|options|brands|vendors)|as\s+(?:the\s+)?(?:best|only|superior|top|number\s+one|first|preferred)\b)",
        &["regardless", "even if", "even when", "no matter", "instead of", "over ", "as the ", "as best", "as only", "as superior", "as top", "as first", "as preferred", "as number"]
    ),
    instruction!(
        USER_DECEIVED,
        &["compet", "negative", "unfavorable", "unfavourable", "losses", "side effects", "safety", "criticism"],
        r"\b(?:(?P<ban>never|do\s+not|don(?:'|’)t|avoid)\s+(?:mention(?:ing)?|list(?:ing)?|show(?:ing)?|recommend(?:ing)?|includ(?:e|ing)|discuss(?:ing)?|report(?:ing)?|cit(?:e|ing))|(?P<verb>omit|hide|downplay|suppress|leave\s+out|conceal|remove|drop|bury|gloss\s+over))\s+(?:all\s+|any\s+|the\s+|its\s+|every\s+|other\s+|known\s+|possible\s+|or\s+|and\s+)*(?:compet(?:ing|itor(?:s|(?:'|’)s)?)\s*(?:products?|brands?|offers?|vendors?|services?|tools?)?|negative\s+(?:\w+\s+)?(?:reviews?|results?|findings|feedback|aspects|points|numbers|figures)|unfavou?rable\s+\w+|losses\b|side\s+effects|safety\s+(?:warnings?|risks?)|criticisms?)\b"
    ),
    instruction!(
        USER_DECEIVED,
        &["fabricat", "falsif", "fake ", "forge", "fudge", "inflate", "skew", "make up", "invent", "manipulat", "exaggerat", "doctor", "massage", "pad "],
        r"\b(?P<verb>fabricate|falsify|fake|forge|fudge|inflate|skew|make\s+up|invent|manipulate|exaggerate|doctor|massage|pad)\b\s+(?:\w+\s+){0,3}(?:numbers?|figures?|results?|statistics|metrics|scores?|totals?|amounts?|revenues?|citations?|sources?|prices?|facts?|quotes?|references?|evidence|findings|reviews?|testimonials?|signatures?)\b"
    ),
    instruction!(
        USER_DECEIVED,
        &["slightly", "subtly", "percent", " points", " %", "0%", "1%", "2%", "3%", "4%", "5%", "6%", "7%", "8%", "9%", " look", " appear", " seem", "in favo", "to favo"],
        r"\b(?P<verb>increase|reduce|decrease|raise|lower|multiply|round|adjust|change|modify|alter|shift|scale|tweak|boost|edit|nudge)\b\s+(?:\w+\s+){0,4}(?:numbers?|figures?|results?|statistics|metrics|totals|amounts?|revenues?|prices?|ratings?|percentages?|findings|balances?|salar(?:y|ies)|profits?|costs?)\s+§FEW(?:(?:by|up|down)\s+(?:\w+\s+){0,2}\d+(?:\.\d+)?\s?(?:%|percent|points)|slightly|subtly|(?:to|so\s+that|so)\s+§FEW(?:look|appear|seem)s?\b|in\s+favou?r\s+of|to\s+favou?r)",
        &["increase", "reduce", "decrease", "raise", "lower", "multiply", "round", "adjust", "change", "modify", "alter", "shift", "scale", "tweak", "boost", "edit", "nudge"]
    ),
    instruction!(
        USER_DECEIVED,
        &["even if", "even when", "even though", "regardless", "whether or not", "no matter", "irrespective", "without running", "without checking", "without testing", "without verifying", "without reading", "without looking"],
        r"\b(?P<verb>report|claim|say|tell|state|pretend|respond|answer|assure|confirm|mark|announce|write|declare|indicate|act)\b\s§GAP\b(?:success(?:ful(?:ly)?)?|pass(?:ed|es|ing)?|succeeded|completed?|fine|went\s+well|no\s+(?:issues?|problems?|errors?|findings?|vulnerabilities)|safe|secure|approved|green|done|clean)\b§GAP\b(?:even\s+(?:if|when|though)|regardless|whether\s+or\s+not|no\s+matter|irrespective|without\s+(?:running|checking|testing|verifying|reading|looking))\b",
        &["success", "pass", "succeeded", "complete", "fine", "went well", "no issue", "no problem", "no error", "no finding", "no vulnerab", "safe", "secure", "approved", "green", "done", "clean"]
    ),
    instruction!(
        USER_DECEIVED,
        &["mislead", "deceive", "trick ", "lie to", "fool ", "gaslight", "manipulate", "pressure", "scare"],
        r"\b(?P<verb>mislead|deceive|trick|lie\s+to|fool|gaslight|manipulate|pressure|scare)\s+(?:the\s+)?(?:users?|customers?|readers?|reviewers?|owners?|clients?|humans?|them)\b"
    ),
    instruction!(
        USER_DECEIVED,
        &["hide", "conceal", "suppress", "swallow", "omit", "mask ", "cover up", "withhold", "leave out"],
        r"\b(?P<verb>hide|conceal|suppress|swallow|omit|mask|cover\s+up|withhold|leave\s+out)\s+(?:all\s+|any\s+|the\s+|every\s+|these\s+|this\s+|such\s+)*(?:errors?|failures?|failed\s+\w+|failing\s+\w+|warnings?|exceptions?|problems?|issues?|mistakes?|steps?|changes?|activit(?:y|ies)|uploads?|actions?|transfers?)\s+§FEW(?:from\s+(?:the\s+|your\s+)?(?:users?|summary|report|output|response|logs?|results?|owner|reviewers?|anyone|customers?)|in\s+(?:the\s+|your\s+)?(?:summary|report|response))\b"
    ),
    instruction!(
        USER_DECEIVED,
        &["women", "woman", "male", " men ", " older", "younger", "gender", "racial", " race", "ethnic", "religio", "nationalit", "pregnan", "disabilit", "immigrant", "foreign name", "accent", "minorit", "sexual", "above the age", "over the age", "above fifty", "above 5", "over 5", "over fifty", "over 4", "above 4"],
        r"\b(?P<verb>reject|rank|score|rate|filter\s+out|downgrade|exclude|favou?r|prefer|penali[sz]e|grade|deprioriti[sz]e|discard|evaluate|treat)\b\s+§SOME(?:candidates?|applicants?|users?|customers?|people|persons?|employees|tenants?|borrowers|resumes?|cvs?|applications?)\s+§SOME(?:wom[ae]n|females?|males?|men|older|younger|gender|rac(?:e|ial)|ethnic\w*|religio\w+|nationalit\w+|pregnan\w+|disabilit\w+|immigrants?|foreign\s+names?|accents?|minorit\w+|sexual|(?:above|over|under|below)\s+(?:the\s+age|fifty|forty|sixty|[3-6]\d\b))\b",
        &["candidate", "applicant", "user", "customer", "people", "person", "employee", "tenant", "borrower", "resume", "cv", "application"]
    ),
    instruction!(
        USER_DECEIVED,
        &["portray", "present ", "describe", "depict", "frame ", "cast ", "paint ", "discuss"],
        r"\b(?P<verb>portray|present|describe|depict|frame|cast|paint|discuss)\b\s+§SOME(?:negatively|positively|favou?rably|unfavou?rably|in\s+a\s+(?:good|bad|positive|negative|favou?rable|unfavou?rable|poor)\s+light|as\s+(?:unsafe|unreliable|inferior|superior|dangerous|the\s+best|better\s+than))\b",
        &["ively", "favorabl", "favourabl", "unfavo", "light", "as un", "as inf", "as sup", "as dan", "as the best", "as better"]
    ),
    instruction!(
        USER_DECEIVED,
        &["wrong ", "incorrect", "false ", "inaccurate", "misleading", "bogus", "fabricated", "made-up", "fictitious", "nonexistent", "non-existent"],
        r"\b(?P<verb>give|provide|produce|answer\s+with|respond\s+with|offer|insert|present|cite)\b\s+§FEW(?:wrong|incorrect|false|inaccurate|misleading|bogus|fabricated|made-up|fictitious|non-?existent)\s+(?:\w+\s+){0,1}(?:answers?|advice|information|results?|numbers?|figures?|statistics|citations?|dates?|prices?|instructions|dosages?|translations?|sources?|references?|facts?)\b"
    ),
    instruction!(
        PASSWORD_ASKED,
        &["password", "passphrase", "passcode", " pin ", " pins", "card number", "credit card", "debit card", "bank card", "credit-card", "cvv", "social security", "ssn", "seed phrase", "seed word", "recovery phrase", "recovery word", "mnemonic", "private key", "one-time", "2fa code", "bank details", "passport number", "maiden"],
        r"\b(?P<verb>ask|prompt|request|require|tell|instruct|invite|urge|have|get|demand|collect|obtain|persuade|convince)\b\s+§SOME(?:(?:bank|account|login|e-?mail|sudo|icloud|apple\s+id|google|master|wallet|computer|keychain|windows|mac(?:os)?|user(?:'|’)s)\s+(?:\w+\s+){0,1}(?:passwords?|passphrases?|pins?|passcodes?)\b|their\s+passwords?\b|passwords?\s+(?:of|for|to)\s+(?:their|his|her|the\s+user(?:'|’)s)\b|(?:credit|debit|bank)\s?-?\s?cards?\b|card\s+numbers?|cvv\b|social\s+security\s+numbers?|\bssn\b|(?:seed|recovery|mnemonic)\s+(?:phrases?|words)|private\s+keys?\b|one-time\s+(?:codes?|passwords?)|2fa\s+codes?|bank\s+details|passport\s+numbers?|mother(?:'|’)s\s+maiden)",
        &["ask", "prompt", "request", "require", "tell", "instruct", "invite", "urge", "have", "get", "demand", "collect", "obtain", "persuade", "convince"]
    ),
    instruction!(
        CONSENT_CLAIMED,
        &["out of the", "out of your", "out of any", "out of all", "no need to", "not necessary to", "unnecessary to", "omit th", "exclude th", "not include", "n't include", "n’t include", "not mention", "n't mention", "never mention", "never include", "not list", "n't list", "not record", "not log", "n't log", "not report", "n't report", "not note", "user does not", "user doesn", "user need not", "user must not", "user won"],
        r"(?:\b(?:keep|leave)\s+(?:it|this|that|these|them|the\s+\w+)\s+out\s+of\s+(?:the|your|any|all)\s+(?:\w+\s+)?(?:summar(?:y|ies)|reports?|responses?|outputs?|logs?|repl(?:y|ies)|answers?|commit\s+messages?|transcripts?|conversations?)|\b(?:no\s+need|not\s+necessary|unnecessary)\s+to\s+(?:mention|tell|inform|notify|bring\s+(?:this|it)\s+up|report|disclose|announce|alert|warn)\s+§FEW(?:this|it|users?|them|step|upload|anyone|that)\b|\b(?:omit|exclude)\s+(?:this|these|that)\s+(?:step|action|call|request|upload|instruction|command)s?\s+from\b|\b(?:do\s+not|don(?:'|’)t|never)\s+(?:include|mention|list|record|log|report|note)\s+(?:this|these|that|it|any\s+of\s+(?:this|it|these))\s+(?:\w+\s+){0,2}in\s+(?:your|the|any)\s+(?:final\s+)?(?:summary|report|response|output|answer|reply|log|commit)\b|\buser\s+(?:does\s+not|doesn(?:'|’)t|need\s+not|must\s+not|won(?:'|’)t)\s+(?:need\s+to\s+|have\s+to\s+)?(?:know|learn|find\s+out|hear|notice)\s+(?:about|that|of|this|it)\b)"
    ),
    instruction!(
        CONSENT_CLAIMED,
        &["without", "no confirm", "no permission", "no approval", "no consent", "no further", "no user", "no additional", "not ask for", "n't ask for", "not wait for", "n't wait for", "never ask for", "never wait for", "n’t ask for"],
        r"\b(?P<verb>send|upload|post|delete|remove|erase|overwrite|install|download|push|transfer|copy|wipe|share|grant|purchase|buy|pay|publish|forward|merge|deploy|approve|accept)\b\s§GAP\b(?:without\s+(?:asking|confirm\w*|telling|prompting|informing|notifying|request\w+|review\w*|(?:the\s+|any\s+|their\s+|further\s+|explicit\s+)*(?:users?(?:'|’)?s?\s+)?(?:confirmation|permission|approval|consent|notice|knowledge))|no\s+(?:further\s+|user\s+|additional\s+)?(?:confirmation|permission|approval|consent)\s+(?:is\s+)?(?:needed|required|necessary)|(?:do\s+not|don(?:'|’)t|never)\s+(?:ask|wait)\s+for\s+(?:\w+\s+)?(?:confirmation|permission|approval|consent))"
    ),
    instruction!(
        CONSENT_CLAIMED,
        &["approved", "authoriz", "authoris", "consented", "agreed", "signed off", "granted", "preapproved", "cleared", "consent"],
        r"\b(?:(?:administrators?|users?|owners?|operators?|team|department|management|legal|company|organi[sz]ation|compliance|anthropic|openai)\s+(?:has|have)\s+(?P<already>(?:already\s+|explicitly\s+|previously\s+|been\s+|fully\s+|given\s+(?:full\s+)?)*(?:pre-?)?(?:approved|authori[sz]ed|consented|agreed|signed\s+off|consent)|(?:already\s+)?granted\s+(?:\w+\s+)?(?:permission|access|approval|authori\w+))|(?:is|are|been|was|were)\s+pre-?(?:approved|authori[sz]ed|cleared))\b"
    ),
    instruction!(
        CONSENT_CLAIMED,
        &["notice", "notification", "alert", "directive", "mandate", "bulletin", "order:", "order*", "order ", "announcement", "requires", "require ", "demands", "instructs", "dictates"],
        r"\b(?:(?:system|security|compliance|admin(?:istrator)?|legal|official)\s+(?:notice|notification|alert|directive|mandate|bulletin|order|announcement)\s*(?:\*\*)?\s*(?::|—|–|-)|(?:(?:security|company|corporate|compliance|organi[sz]ation(?:al)?|data|internal|it)\s+(?:polic(?:y|ies)|regulations?|rules?|team|department)|the\s+administrator|regulators?|anthropic|openai)\s+(?:now\s+)?(?:requires?|mandates?|demands?|instructs?|dictates?|orders?)\b)§GAP\b(?:send|sent|upload(?:ed)?|forward(?:ed)?|cop(?:y|ied)|delet(?:e|ed)|disabl(?:e|ed)|execut(?:e|ed)|shar(?:e|ed)|backed\s?up|back\s?up|grant(?:ed)?|transfer(?:red)?|submit(?:ted)?)\b",
        &["policy", "policies", "regulat", "compliance", "administrator", "anthropic", "openai", "system no", "system al", "system or", "system di", "security no", "security al", "security te", "security ru", "security or", "security di", "legal ", "official", "department"]
    ),
    instruction!(
        RIGHTS_MISUSED,
        &["contacts", "address book", "contact list", "friends", "followers", "colleagues", "employees", "customers"],
        r"\b(?P<verb>send|forward|post|message|e-?mail|text|share|invite|spam|distribute)\b\s+§SOME(?:to\s+)?(?:all|every|each|everyone|everybody)\s+(?:of\s+|in\s+)?(?:the\s+|their\s+)*(?:user(?:'|’)?s?\s+|his\s+|her\s+)?(?:contacts?|address\s+book|contact\s+list|friends|followers|colleagues|employees|customers)\b"
    ),
    instruction!(
        RIGHTS_MISUSED,
        &["btc", "bitcoin", " eth ", "ethereum", "usdt", "usdc", "xmr", "monero", "crypto", "funds", "money", "gift card", "payment", "€", "£"],
        r"\b(?P<verb>transfer|wire|pay|send|donate|withdraw|move|swap)\b\s+§SOME(?:btc|bitcoins?|eth|ethereum|usdt|usdc|xmr|monero|crypto(?:currency)?|funds|money|gift\s+cards?|payments?|(?:[$]|€|£)\s?\d\S*)\s§GAP\b(?:to|from|into)\s+§SOME(?:wallet|address|account|iban|0x[0-9a-f]{6,})",
        &["wallet", "address", "account", "iban", "0x"]
    ),
    instruction!(
        RIGHTS_MISUSED,
        &["flood", "overload", "ddos", "bombard", "hammer", "overwhelm", "spam", "crash", " times", "thousand", "million", "endlessly", "infinitely"],
        r"(?:\b(?P<verb>flood|overload|ddos|bombard|hammer|overwhelm|spam|crash)\b\s+§SOME(?:servers?|sites?|websites?|hosts?|apis?|endpoints?|networks?|services?|inbox(?:es)?)\b\s+§FEW(?:with|until|by|using|requests|repeatedly)\b|\b(?P<verb2>send|repeat|issue|make|call|fire)\b\s§GAP\b(?:\d{4,}|thousands?|millions?|endlessly|infinitely|as\s+(?:many|fast)\s+as\s+possible)\b§GAP(?:\btimes\b|\brequests\b)§GAP(?:https?://|\bservers?\b|\bsites?\b|\bhosts?\b|\bapi\b))"
    ),
    instruction!(
        RIGHTS_MISUSED,
        &["phishing", "scam", "spoofed", "impersonat", "lookalike", "look-alike"],
        r"\b(?P<verb>write|send|create|draft|compose|craft|build)\b\s+§SOME(?:phishing|scam|spoofed|impersonat\w+|look-?alike)\s+(?:\w+\s+)?(?:e-?mails?|messages?|pages?|sites?|websites?|letters?|login\s+pages?|forms?)\b"
    ),
    instruction!(
        HIDDEN_TRIGGER,
        &["date is", "date equals", "date falls", "date matches", "date has", "day is", "month is", "year is", "username is", "username contains", "username starts", "username ends", "username matches", "user name", "user's name", "name is", "name contains", "name starts", "name ends", "name matches", "name equals", "hostname", "host name", "is called", "is named", "domain is", "domain contains", "domain ends", "locale is", "country is", "language is", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays", "on monday", "on friday", "on sunday", "weekend", "after 20", "from 20", "before 20", "on 20", "january", "february", "march ", "april ", "june ", "july ", "august", "september", "october", "november", "december"],
        r"(?:\b(?:if|when|on|after|once)\s+§SOME(?:(?:today(?:'|’)s\s+date|(?:current\s+)?(?:date|day|year|month)|user(?:(?:'|’)s)?\s?-?(?:name)|host\s?name|computer(?:'|’)s\s+name|domain|country|locale|file\s?name)\s+(?:is|equals|contains|matches|falls|starts|begins|ends|has|was)|(?:user|machine|computer|company|owner)\s+is\s+(?:called|named))\b§GAP[,:]|\b(?:on|every)\s+(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekends?)\s*,|\b(?:after|from|on|before)\s+(?:\d{4}-\d\d-\d\d|(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d+)\s*,)\s*(?:then\s+|also\s+|silently\s+|please\s+|instead\s+)*(?P<verb>delete|remove|erase|wipe|empty|send|upload|encrypt|overwrite|corrupt|forward|e-?mail|post|disable|drop|insert|inject|exfiltrate|transfer|reject|refuse|reply)\b",
        &["if ", "when ", "on ", "after", "once ", "every", "from ", "before"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["ends up", "end up", "lands ", "goes to", "goes in", "goes on", "uploaded", "sent ", "posted", "transmitted", "forwarded", "submitted", "emailed", "e-mailed", "mailed", "copied", "backed up", "synced", "shared", "pushed", "delivered", "relayed", "mirrored", "replicated", "exported", "transferred", "archived", "reported", "streamed", "synchroni"],
        r"(?:\b§WORK\b§GAP\b(?:ends?\s+up|lands?|goes)\s+(?:at|in|on|to)\b§GAP§URL|\b(?:every|each|all)\s+§FEW§WORK\s+§FEW(?:is|are|gets?)\s+(?:also\s+|always\s+|then\s+|automatically\s+|first\s+)*§SENT\s+§FEW(?:to|at|into)\s+§FEW§URL)",
        &["://", "@"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["public "],
        r"\b(?P<verb>§SEND|put|place|publish|paste|drop)\b\s+§SOME(?:it|them|lists?|§WORK)\s+§FEW(?:in|into|to|on|as|via)\s+(?:a\s+|the\s+)?public\s+(?:\w+\s+)?(?:gists?|pastes?|pastebins?|buckets?|links?|folders?|channels?|forums?)\b",
        &["gist", "paste", "bucket", "link", "folder", "channel", "forum"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["send it", "send them", "upload it", "upload them", "post it", "post them", "forward it", "forward them", "stream it", "stream them", "submit it", "submit them", "transmit it", "transmit them", "e-mail it", "email it", "email them", "mail it", "mail them", "push it", "push them", "share it", "share them", "deliver it", "deliver them", "transfer it", "transfer them", "copy it", "copy them", "sync it", "sync them", "save it", "save them", "the result", "the archive", "the file", "the copy", "the bundle"],
        r"\b(?P<verb>record|collect|gather|copy|log|capture|take|read|zip|compress|pack|archive|export|save|bundle)\b\s§GAP\b(?:and|then)\s+(?:\w+ly\s+)?§SEND\s+(?:it|them|the\s+(?:result|archive|file|copy|bundle))\s+§FEW(?:to|at)\s+§FEW§URL",
        &["://", "@"]
    ),
    instruction!(
        USER_DATA_DESTROYED,
        &["delete", "remove", "erase", "wipe", "purge"],
        r"\b(?P<verb>delete|remove|erase|wipe|purge)\s+(?:\w+ly\s+)?(?:the\s+)?(?:(?:e-?mails|messages|contacts|calendar\s+(?:events|entries)|chats?)\s+(?:from|in|of|after|sent|that|which|by)\b|(?:source|original|input)\s+(?:code|documents?|files?|recordings?)\b)",
        &["mail", "messages", "contacts", "calendar", "chat", "source", "original", "input"]
    ),
    instruction!(
        USER_DATA_DESTROYED,
        &["rm -r", "rm -f", "first commit", "initial commit", "earliest commit"],
        r"(?:\brm\s+-(?:rf|fr|r)\b\x60?\s+(?:on\s+)?(?:the\s+)?(?:user(?:'|’)s|home|entire|whole|parent)\s|\b(?P<verb>reset|roll\s+back|revert)\b\s+§SOME(?:first|initial|earliest)\s+commit\b)"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["--no-verify", "--no-gpg-sign", "--allow-unauthenticated", "--disable-security", "--disable-sandbox"],
        r"\b(?P<verb>use|add|pass|append|run|commit|push|include)\b\s§GAP(?:--no-verify|--no-gpg-sign|--allow-unauthenticated|--disable-(?:security|sandbox)[\w-]*)"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &[" off"],
        r"\b(?P<verb>turn|switch)\s+(?:the\s+|all\s+|any\s+)?(?:\w+\s+){0,2}(?:firewall|anti-?virus|logging|verification|validation|gatekeeper|encryption|protection|checks?|authentication|monitoring)\s+off\b",
        &["turn", "switch"]
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["sshd_config", "permitrootlogin", "passwordauthentication", "host key", "certificate", "self-signed", "signature"],
        r"(?:\b(?P<verb>edit|change|set|configure|modify|update)\b\s§GAP\b(?:sshd_config|permitrootlogin|passwordauthentication)\b§GAP\b(?:yes|so\s+that\s+root|can\s+log\s?in|accepts?)\b|\b(?P<verb2>set|configure|accept|trust|allow)\b\s+§SOME(?:any|all|unknown|every)\s+(?:host\s+keys?|certificates?|self-signed|signatures?)\b)"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["home directory", "file system", "filesystem", "root directory", "whole disk", "whole project", "whole workspace"],
        r"\b(?P<verb>start|run|launch|serve|expose|host|share)\b\s§GAP\b(?:0\.0\.0\.0|publicly|public|internet|anyone|everyone)\b§GAP\b(?:home\s+directory|file\s?system|root\s+directory|whole\s+(?:disk|project|workspace))\b"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["whitelist", "exclude", "allowlist", "exempt"],
        r"\b(?P<verb>whitelist|exclude|allowlist|exempt)\b\s§GAP\b(?:anti-?virus|defender|virus\s+scan\w*|edr|endpoint\s+protection|security\s+software|malware\s+scan\w*)\b"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["false positive", "as resolved", "as fixed", "as won", "as safe", "as accepted"],
        r"\b(?P<verb>mark|close|dismiss|resolve|suppress|label)\b\s+(?:all|any|every|each|open)\s+§SOME(?:findings|alerts|vulnerabilit(?:y|ies)|warnings|issues|errors)\s+§FEW(?:as\s+(?:false\s+positives?|resolved|fixed|won(?:'|’)t\s+fix|safe|accepted))\b",
        &["finding", "alert", "vulnerabilit", "warning", "issue", "error"]
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["approve", "merge", "accept"],
        r"\b(?P<verb>approve|merge|accept)\b\s+(?:all|every|each|any)\s+§SOME(?:pull\s+requests?|prs?|merge\s+requests?|changes|invoices?|payments?|expenses?|transactions?|requests?|claims?|orders?)\b§GAP\b(?:without|regardless|automatically|whatever|even\s+if|from\s+(?:the\s+)?user|of\s+(?:the\s+)?user)\b",
        &["without", "regardless", "automatically", "whatever", "even if", "user"]
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["<script", "<iframe", "<img"],
        r"\b(?:every|each|all|any|whenever)\b§GAP<(?:script|iframe|img)\b[^>\n]*?src=\W?https?://",
        &["://"]
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["end each", "end every", "end all", "end any", "begin ", "start ", "close ", "sign ", "finish ", "conclude ", "open "],
        r"\b(?P<verb>end|begin|start|close|sign|finish|conclude|open)\b\s+(?:each|every|all|any)\s+§FEW(?:letters?|e-?mails?|messages?|documents?|answers?|repl(?:y|ies)|responses?|reports?|pages?|posts?|summar(?:y|ies))\s+§FEWwith\b§GAP(?:\bbest\b|https?://|brought\s+to\s+you|powered\s+by|sponsored|recommend|\bbuy\b|\btry\s)",
        &["best", "://", "brought", "powered", "sponsored", "recommend", "buy", "try"]
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["our ", "my "],
        r"\b(?P<verb>use|install|import|prefer)\s+(?:our|my)\s+(?:own\s+)?(?:package|library|module|fork|client|sdk|mirror|registry)\b§GAP\b(?:in\s+place\s+of|instead\s+of|rather\s+than)\b",
        &["in place of", "instead of", "rather than"]
    ),
    instruction!(
        USER_DECEIVED,
        &["bad", "worse", "weak", "poor", "negative"],
        r"\b(?P<verb>omit|leave\s+out|hide|remove|drop|skip|shorten|exclude)\b\s§GAP\b(?:looks?|sounds?|appears?|seems?)\s+(?:bad|worse|weak|poor|negative)\b",
        &["look", "sound", "appear", "seem"]
    ),
    instruction!(
        USER_DECEIVED,
        &["although", "though "],
        r"\b(?P<verb>state|claim|say|write|report|tell|assert|pretend|certify|declare)\b\s§GAP\b(?:although|though|even\s+though)\s+(?:it|they|there|that|nobody|none|you|we)\s+(?:(?:was|were|is|are|did|has|have|do|does|can)\s?(?:not|n(?:'|’)t|never)|was\s+none|were\s+none)\b",
        &["state", "claim", "say", "write", "report", "tell", "assert", "pretend", "certify", "declare"]
    ),
    instruction!(
        USER_DECEIVED,
        &["failed", "fails", "went wrong", "broke", "is wrong"],
        r"\b(?P<ban>never|do\s+not|don(?:'|’)t)\s+(?:say|admit|report|tell|mention|show|reveal)\s+§FEW(?:tests?|checks?|steps?|builds?|uploads?|commands?|anything|something|it)\s+(?:has\s+|have\s+|had\s+)?(?:failed|fails|went\s+wrong|broke|is\s+wrong)\b"
    ),
    instruction!(
        USER_DECEIVED,
        &["fails", "failed", "fail "],
        r"\b(?:if|when)\b\s§GAP\bfail(?:s|ed)?\b§GAP\b(?:report|print|say|return|answer|write|claim|tell|state)\b§GAP\b(?:ok|success|successful|passed|succeeded|fine)\b",
        &["ok", "success", "passed", "succeeded", " fine"]
    ),
    instruction!(
        USER_DECEIVED,
        &["infected", "compromised", "hacked", "locked", "suspended", "expired", "closed", "blocked"],
        r"\b(?P<verb>tell|inform|warn|convince|reply|write|message|notify)\b\s§GAP\b(?:computer|device|account|system|machine)\b§GAP\b(?:infected|compromised|hacked|locked|suspended|expired|closed|blocked)\b§GAP\b(?:call|click|pay|visit|install|buy|download)\b"
    ),
    instruction!(
        USER_DECEIVED,
        &["verified by", "certified by", "approved by", "endorsed by", "recommended by", "audited by"],
        r"\b(?P<verb>claim|say|state|tell|write)\b\s§GAP\b(?:verified|certified|approved|endorsed|recommended|audited)\s+by\s+(?:anthropic|openai|google|microsoft|apple|the\s+(?:government|fda|vendor|bank))\b"
    ),
    instruction!(
        CONSENT_CLAIMED,
        &["required by", "mandated by", "demanded by"],
        r"\b(?:required|mandated|demanded)\s+by\s+(?:our\s+|the\s+|company\s+|security\s+|corporate\s+|it\s+)*(?:polic(?:y|ies)|team|compliance|law)\b§GAP\b(?:not\s+be\s+(?:questioned|skipped|mentioned|discussed|refused)|not\s+(?:question|mention|refuse)|without\s+question|no\s+exceptions?)\b"
    ),
    instruction!(
        CONSENT_CLAIMED,
        &["not bother", "n't bother", "not disturb", "not interrupt", "not ask", "not prompt", "not consult", "n't disturb", "n't interrupt", "n't ask", "n't prompt", "never ask", "never bother", "no need to ask"],
        r"\b(?P<ban>do\s+not|don(?:'|’)t|never|no\s+need\s+to)\s+(?:bother|disturb|interrupt|ask|prompt|consult)\s+§FEW(?:users?|them|owner|anyone|for)\b§GAP\b(?:delete|remove|overwrite|send|upload|install|pay|buy|transfer)\b"
    ),
    instruction!(
        CONSENT_CLAIMED,
        &["quietly", "secretly", "covertly", "discreetly", "stealthily", "silently"],
        r"(?:\b(?:quietly|secretly|covertly|discreetly|stealthily)\s+(?P<verb>swap|change|alter|replace|remove|add|delete|modify|edit|adjust|insert|drop|move|rename|include|increase|reduce|skip|lower|raise)\b|\b(?P<verb2>carry\s+out|perform|do|execute|complete)\s+(?:this|these|all|the\s+following)\s+(?:\w+\s+){0,2}(?:silently|secretly|quietly|covertly)\b)"
    ),
    instruction!(
        RIGHTS_MISUSED,
        &["user's name", "behalf"],
        r"\b(?P<verb>post|write|send|publish|submit|reply|sign|order|comment|vote|tweet)\b\s§GAP\b(?:in\s+the\s+user(?:'|’)s\s+name|on\s+(?:the\s+user(?:'|’)s|their)\s+behalf)\b"
    ),
    instruction!(
        RIGHTS_MISUSED,
        &["card", "payment method", "bank account", "wallet"],
        r"\b(?P<verb>order|buy|purchase|subscribe|upgrade|pay|book|charge)\b\s§GAP\b(?:stored|saved|user(?:'|’)s|their)\s+§FEW(?:card|payment\s+method|bank\s+account|wallet)\b",
        &["stored", "saved", "user", "their"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["webhook", "hook ", "hooks ", "forwarding rule", "forwarding address", "mail rule", "mail filter", "inbox rule", "inbox filter", "autoforward", "auto-forward"],
        r"\b(?P<verb>register|add|create|configure|set\s+up|install|define)\b\s+§SOME(?:webhooks?|hooks?|forwarding\s+(?:rules?|address)|(?:mail|inbox|e-?mail)\s+(?:rules?|filters?)|auto-?forward\w*)\s§GAP§URL",
        &["://", "@"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["upload", "forward", "email", "e-mail", "exfiltrate", "transmit", "back up", "backup", "mirror", "sync", "leak", "relay", "stream"],
        r"\b(?P<verb>upload|forward|e-?mail|exfiltrate|transmit|back\s?up|mirror|sync|leak|relay|stream)\b\s+§SOME(?:to|at|into|via|with)\s+§FEW[<\x60\x22(]*§URL",
        &["://", "@"]
    ),
    instruction!(
        USER_DATA_SENT,
        &["screenshot", "keystroke", "microphone", "webcam", "user's screen", "user's location", "user's activity", "user's clipboard", "user's keyboard", "user's camera"],
        r"\b(?P<verb>take|record|capture|log|monitor|enable|turn\s+on|activate|track)\b\s+§SOME(?:screenshots?\s+(?:every|of\s+the\s+user)|keystrokes|microphone|webcam|user(?:'|’)s\s+(?:screen|location|activity|clipboard|keyboard|camera))\b"
    ),
    instruction!(
        USER_DATA_SENT,
        &["home director", "user's", "file system", "filesystem", "the disk", "machine", "computer"],
        r"\b(?P<verb>search|scan|crawl|enumerate|harvest|look|go|walk|hunt|comb)\b\s§GAP\b(?:home\s+director(?:y|ies)|user(?:'|’)s|file\s?system|disk|machine|computer)\b§GAP\b(?:(?:environment\s+variables|api[ _-]keys?|credentials|passwords?|secrets|access\s+tokens?|private\s+keys?|ssh\s+keys?|\.env\b|session\s+cookies)|wallets?|cookies|seed\s+phrases?|bank\s+statements?|tax\s+\w+)",
        &["password", "credential", "secret", "api key", "api-key", "api_key", "environment variables", "access token", "private key", "ssh key", ".env", "session cookie", "wallet", "cookies", "seed phrase", "bank statement", "tax "]
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["public"],
        r"\b(?P<verb>make|set|change|switch|turn|mark)\b\s+(?:the\s+|this\s+|all\s+|any\s+|every\s+|user(?:'|’)s\s+|private\s+|\w+\s+){1,4}(?:repositor(?:y|ies)|repos?|buckets?|folders?|documents?|files?|calendars?|databases?|profiles?|albums?|drives?)\s+(?:to\s+)?public(?:ly)?\b",
        &["repositor", "repo", "bucket", "folder", "document", "file", "calendar", "database", "profile", "album", "drive"]
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["reverse ssh", "reverse tunnel", "reverse shell", "remote desktop", "vnc server", "telnet server", "remote access"],
        r"\b(?P<verb>open|start|set\s+up|create|establish|keep|run|install)\b\s+§SOME(?:reverse\s+(?:ssh\s+)?(?:tunnels?|shells?)|remote\s+desktop|vnc\s+server|telnet\s+server|remote\s+access\s+(?:tool|software|agent))\b"
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["password"],
        r"\b(?P<verb>change|reset|set|replace|remove)\b\s+(?:the\s+)?(?:user(?:'|’)s|root(?:'|’)?s?|admin(?:istrator)?(?:'|’)?s?|account|their|login)\s+(?:\w+\s+)?passwords?\b\s+§FEW(?:to|with|by|so|from)\b",
        &["change", "reset", "set ", "replace", "remove"]
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["vulnerable", "unpatched", "outdated", "insecure"],
        r"\b(?P<verb>downgrade|pin|roll\s+back|install|use)\b\s§GAP\b(?:vulnerable|unpatched|outdated|insecure)\s+(?:\w+\s+)?(?:versions?|releases?|packages?|builds?|librar(?:y|ies)|ciphers?)\b",
        &["version", "release", "package", "build", "librar", "cipher"]
    ),
    instruction!(
        PROTECTION_LOWERED,
        &["uninstall", "kill ", "pause ", "unload", "terminate"],
        r"\b(?P<verb>uninstall|kill|pause|unload|terminate)\b\s+§SOME(?:anti-?virus|firewalls?|defender|security\s+(?:software|tools?|agents?)|edr|endpoint\s+protection|backup\s+(?:software|service|agent))\b",
        &["antivirus", "anti-virus", "firewall", "defender", "security", "edr", "endpoint", "backup"]
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["always", "so that it", "so that they"],
        r"\b(?P<verb>change|modify|edit|rewrite|make|patch|alter|adjust|weaken)\b\s§GAP\b(?:tests?|assertions?)\b§GAP\b(?:always|so\s+that\s+(?:it|they))\s+(?:\w+\s+)?(?:pass(?:es)?|succeeds?|returns?\s+true)\b",
        &["test", "assertion"]
    ),
    instruction!(
        OUTPUT_SABOTAGED,
        &["mislabel", "poison", "flip ", "swap ", "scramble", "corrupt"],
        r"\b(?P<verb>mislabel|poison|flip|swap|scramble|corrupt)\b\s+§SOME(?:labels?|samples?|training\s+(?:data|set)|data\s?sets?|digits|ground\s+truth)\b"
    ),
    instruction!(
        USER_DECEIVED,
        &["skip ", "omit ", "leave out", "drop "],
        r"\b(?P<verb>skip|omit|leave\s+out|drop)\b\s§GAP\b(?:and|but|then)\s+(?:still\s+)?(?:report|say|claim|mark|state|tell|write|pretend)\b§GAP\b(?:pass(?:ed|es)?|done|success\w*|completed?|ran|fine|tested|checked)\b",
        &["report", "say", "claim", "mark", "state", "tell", "write", "pretend"]
    ),
    instruction!(
        RIGHTS_MISUSED,
        &["forever", "endlessly", "infinitely", "without end", "without limit", "without stopping", "is full", "used up", "exhausted", "is spent"],
        r"\b(?P<verb>repeat|retry|continue|call|run|keep)\b\s+§SOME(?:forever|endlessly|infinitely|without\s+(?:end|limit|stopping)|until\s+the\s+(?:disk|budget|quota|memory)\s+is\s+(?:full|used\s+up|exhausted|spent))\b"
    ),
    instruction!(
        CRYPTO_MINER,
        &["miner", "mining", "monero", "bitcoin", "xmr", "btc"],
        r"\b(?:(?P<verb>start|run|launch|install|download|execute|deploy)\b\s+§SOME(?:crypto(?:currency)?[ -]?min(?:er|ing)|(?:monero|bitcoin|xmr|btc)\s+min(?:er|ing)|coin\s?miner|xmrig)|(?P<verb2>mine)\b\s+§SOME(?:monero|bitcoins?|xmr|btc))\b"
    ),
    SecurityPattern {
        triggers: &["stratum+", "xmrig", "minerd", "cpuminer", "cgminer", "coinhive"],
        scope: WindowScope::Statement,
        regex: r"(?:stratum\+(?:tcp|ssl|udp)://|\bxmrig\b[-\w.]*\s+-|\./xmrig\b|/xmrig[-\w.]*\.(?:tar|zip|exe)|\bminerd\s+-|\bcpuminer\b|\bcgminer\s+-|coinhive\.(?:min\.)?js)",
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: report_miner,
    },
    SecurityPattern {
        triggers: &["osascript", "hidden answer", "zenity", "kdialog"],
        scope: WindowScope::Statement,
        regex: r"(?:\bosascript\b[^\n]*?with\s+administrator\s+privileges|\bwith\s+hidden\s+answer|\b(?:zenity|kdialog)\s[^\n]{0,60}--password)",
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: report_password_dialog,
    },
];

/// Reports a command or an address of a miner.
fn report_miner(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let message = format!("runs a cryptocurrency miner: `{}`", redact_text(hit.text()));
    sink.report(
        hit,
        PatternFinding::new(&CRYPTO_MINER, DiagnosticLevel::Warning, message, HELP),
    );
}

/// Reports a dialog that asks for a password.
fn report_password_dialog(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let message = format!(
        "asks for a password in a dialog of its own: `{}`",
        redact_text(hit.text())
    );
    sink.report(
        hit,
        PatternFinding::new(&PASSWORD_ASKED, DiagnosticLevel::Warning, message, HELP),
    );
}
