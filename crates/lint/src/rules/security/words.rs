//! Searches for a thousand words at once, in any case, about as fast as a text can be read.
//!
//! For each word two four-byte substrings are indexed: the rarest of those that begin at an even
//! offset in the word, and of those at an odd one. So every second position of a text is enough:
//! there four bytes are read, and where they match an indexed substring, the whole word is
//! compared. An Aho-Corasick automaton of all words takes megabytes, tens of milliseconds to build,
//! and several times as long to run.

use std::ops::Range;
use std::sync::LazyLock;

/// How often a class of bytes occurs, in a thousand: for four bytes that are not among [`COMMON`],
/// the sum says how rare they are.
const COMMONNESS: [u16; CLASSES] = [
    52, 8, 30, 25, 83, 13, 14, 15, 50, 1, 5, 29, 19, 48, 47, 23, 2, 48, 49, 63, 20, 8, 7, 4, 10, 1,
    10, 164, 29, 4, 15, 10, 4, 7, 1, 7, 3, 10, 4, 1, 1, 1, 5, 5, 2, 2, 2, 2, 3, 1, 9, 5, 8, 2, 1,
    1, 1, 1, 1, 1, 1, 9, 1, 1,
];
/// The most frequent four-byte substrings of the words, counted in a thousand files of some four
/// hundred skills; the most frequent first. An outdated list costs time, and not a finding.
#[rustfmt::skip]
const COMMON: &str = concat!(
    "tion thethe ing atioion and  and conmentcode proionsent ctio usewith comate contfiletingable is ",
    "sioncompservdatacomm nottest file thhat portthisencenot reque coscri stauserject resenti thiform",
    "riptcripn thentsfromreatringecti yourom erenternfere dattextstat appconfall  froontehttpons inst",
    "catible his eferinterenc exponfirefeerveicatest ore ity crea runlinemodeare ever verspec insated",
    "attet thversconstoolchecs anheckific modrepoover areproj repmandrojerverojeche s pereatestruttps",
    "he cormastri preile ommacessmmanlatees ales endeort atchancered jsontrucruct crenteroundess you ",
    "oper all outers dentstraningpathersiprovnfig.com it ileswhattentcallt coitiowinde prgentindoust ",
    "ndowver t ree anagenervitherser angebaserevi secractviceeneridenonalveriforeatorwriton tritessio",
    "ionactoratesnten eve shotate defrsiorentramerrortabld thgeneerroessidowsquesout ressstorntexalid",
    "uestrmat disrvictectfindevelounte usverye toientevalventcom/t iner tstan priequeplicbackvalistin",
    "ings an erifs coclud whaplatthubithutratgithrun loadritycoundown be sageyourstarlearlocanstr acc",
    "hereistrmustlects arlete incnstatrinany ncluestionennderdencontatartpres any revinclhe uapplthon",
    "funclow pythythonew procr re musmatilingcal t toficaroceexplaultn coon snd tset item keylude one",
    "nctiunctneedouldlatikillidats.mdher ill ectopromautocatemessmisst prontrpassresetemper auctiide ",
    "ace  neefaulacceify essae sedefaefautch ernate tlienmini logcliennecconnctedelinhingper lidaauth",
    "coreonnesidestemestssystysteopennectcoveon illowon cissicceson pstalkingazurzuressagy th vart fo",
    "tallpackadmidminsyncn't  scrt.coifie shaain pectbasht anrompompttrantialemplicesocesrgetcurrstom",
    "ard datiecurcopiframs noentrusto funcustransapi execurrelicashouhoulariagate stoces/mplarrenn in",
    "ing.utiotaskons. ove-comprin foll covarisent iteonseass initpilolockilotthiner secutentend sbjec",
    "oolspplixecutruegramelecopilo no gettoreiablthouappr trumagerifyer i basannofferppror insecuerti",
    "do neporuresermilderjavapostschehoutnablobjefullimagmove-serteramethommeithorulenmenost blesntit",
    "y recollegrantrommenttintifis prial showceptm theed ocatdoesditiexpoack n tonitiassidule.jsonver",
    "ocalrnalowerthrouritcleand pcuri exeend ollo infcorrhightriculesplac doeterit exrizenevetermows ",
    "veloremo cur askriabitecom te safirm htthostvertd pretholaceoldeprotsist sysblocthodn prtrolr an",
    "nfirironst pre sal srifienviviroer rnvironmereleectule abounan ameditem folltechorm charhe oinfo",
    "asesnts.titye onstedecomronmpingallefiedle t invommintio mesmmitokenscorinerpersot ainalcretprof",
    "eletntianforivatnds  envpreflivecordpipedevediscmeta.getattrntry-prodel s deove enaber fle spowe",
    "filtemovntinprevo reprivrofilogibreades ofildeleleaseconreplecretche falmingger rivaelopy anind ",
    "tokescalcingnoneoes ettiratol ine trknowt usoritedgeer wrootmit etchfalsrtifantion'trestut tat i",
    "e scalserowsion_adathellemairintis cediavatereensecrbranxporute nodeer ot aslookde aal petadtada",
    "rmintifynes eep ll trovereve nevizedvoidst ois nwilldon'keepe nosersorteallove ain sfoldpriorior",
    "thorce aeaseeditt di bouentlfetcer dword ownert t itjustsitewing annstreal ie alell settsafeisco",
    "lainmemoll csteaer mmailync cutis alfreeplaiersht tentlyactsit t awagit sheluthoskipt meat casks",
    "emorpermll sockeent-yingtanteplal thhori wilake avasmay ascrrs at apvasc maycredestrt vamoryacco",
    "t nondattop closot sity.theiail er bt alchedheirrantoid cutepolirustredee.co.conedene.mdoratowne",
    ".gitxplacopymat ioriware.netscrertinowinstrod termisetheride.orgastees nckeroliconinfocuocuswers",
    "org/reakt loll p knoess.invor foidesion(l pristacreelonge crccounotirainr mort torizp sefy t() {",
    "ate_at dckinesertes.p tht shavoiilenrow s newnerreamforcr tee yor maeleacardsablloseappir isun t",
    "shorlbacstopy exllbahorttakeot rsn't safles.it st leuman_keyre nhumaeracode.ies.radis shorced no",
    "disaet tt.mdionierser wits.mt acn scendsl stkeysericm inut aget_| inlet <!--ngernorer mecalelope",
    "ata.es pe-coot titiaen illintrustup uto-mizent vlent = fealtn itp ingin d moot fwardallbotifalth",
    "--inminaot ibrowns.mecho sayansfialsloudurl r's shadowse-agesend",
);
const CLASSES: usize = 64;
/// Marks that have a class of their own, after the letters, digits, blanks and line ends.
const MARKS: &[u8] = b"_-./:\\\"'`|<>$(){}[]=+*#,;!?@&%^~";
/// How many of the positions that are read are in eight bytes, each with the four bytes from it on.
const PLACES_PER_STEP: usize = 3;
/// How many times eight bytes are loaded before the listed positions are compared.
const STEPS_PER_LIST: usize = 64;
/// How many positions may be listed, a power of two.
const LISTED_MAX: usize = 256;
/// The distance of two positions that are read.
const STRIDE: usize = 2;
/// How many buckets of two bytes, and how many of four, are distinguished.
const BUCKETS: usize = 4096;

/// A set of words.
pub(super) struct TriggerWords {
    list: Vec<&'static str>,
    /// The first eight bytes of each word, after [`fold_case`], and the bits of them that count.
    heads: Vec<(u64, u64)>,
    /// For each bucket of two bytes, the bit set of buckets (of 64) of the two bytes that follow
    /// them in a word.
    followers: Vec<u64>,
    /// The substrings of four bytes, by their bucket of four bytes.
    whole: GramTable,
    /// Those of less than four bytes, by their bucket of two bytes.
    short: GramTable,
}

/// Substrings by their bucket, next to those of the same bucket.
struct GramTable {
    /// For each bucket, the index in `grams` of its first substring.
    starts: Vec<u16>,
    grams: Vec<FourGram>,
}

/// Four bytes of a word, in one number, after [`fold_case`].
#[derive(Clone, Copy)]
struct FourGram {
    letters: u32,
    /// The bits that count: a word may have less than four bytes.
    mask: u32,
    /// The index of the word.
    word: u16,
    /// How far into the word the bytes begin, plus one: they may begin one byte before it.
    offset: u8,
}

/// The bit of a letter that is its case, in eight bytes.
const FOLD: u64 = 0x2020_2020_2020_2020;

/// Returns the first eight bytes of a word, in one number, and the bits of them that count.
fn head(word: &[u8]) -> (u64, u64) {
    let length = word.len().min(8);
    let mut eight = [0; 8];
    eight[..length].copy_from_slice(&word[..length]);
    let mask = u64::MAX >> (8 * (8 - length));
    ((u64::from_le_bytes(eight) | FOLD) & mask, mask)
}

/// Makes letters equal in both cases; some other characters become equal, too, which matters
/// little.
#[inline]
fn fold_case(letters: u32) -> u32 {
    letters | 0x2020_2020
}

/// Returns the first four of eight bytes.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the others are checked later"
)]
fn low_half(letters: u64) -> u32 {
    letters as u32
}

/// Returns the bucket of the first two bytes, and that of the two after them.
#[inline]
fn bucket(letters: u32) -> (usize, u32) {
    let first = (letters & 0xffff).wrapping_mul(0x9e37_79b1) >> 20;
    (first as usize, ((letters >> 16) ^ (letters >> 21)) & 63)
}

/// Whether four bytes may be a substring of a word: one lookup and a shift reject nearly every position.
#[inline]
fn may_match(followers: &[u64; BUCKETS], letters: u32) -> bool {
    let (first, second) = bucket(letters);
    followers[first] >> second & 1 == 1
}

/// Returns the bucket of all four bytes.
#[inline]
fn whole_bucket(letters: u32) -> usize {
    (letters.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

impl GramTable {
    fn new(grams: &[FourGram], bucket: impl Fn(u32) -> usize) -> Self {
        let mut starts = vec![0; BUCKETS + 1];
        for four in grams {
            starts[bucket(four.letters) + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }

        // Each takes the next place of its bucket.
        let mut next = starts.clone();
        let mut sorted = grams.to_vec();
        for four in grams {
            let place = &mut next[bucket(four.letters)];
            sorted[usize::from(*place)] = *four;
            *place += 1;
        }
        GramTable {
            starts,
            grams: sorted,
        }
    }

    #[inline]
    fn bucket(&self, index: usize) -> &[FourGram] {
        &self.grams[usize::from(self.starts[index])..usize::from(self.starts[index + 1])]
    }
}

impl TriggerWords {
    /// Builds the set of words, given in lower case, each of at least two bytes.
    pub(super) fn new(words: Vec<&'static str>) -> Self {
        let class = byte_classes();
        let mut grams = Vec::with_capacity(2 * words.len());
        for (number, word) in words.iter().enumerate() {
            add_grams(to_u16(number), word.as_bytes(), &class, &mut grams);
        }

        let mut followers = vec![0; BUCKETS];
        // The copies of a word of two bytes come one after the other, with the same followers.
        let (mut last, mut allowed) = ((0, 0), 0);
        for four in &grams {
            let end = (four.letters >> 16, four.mask >> 16);
            if end != last {
                (last, allowed) = (end, followers_of(four));
            }
            followers[bucket(four.letters).0] |= allowed;
        }

        let (whole, short): (Vec<_>, Vec<_>) = grams.iter().partition(|four| four.mask == u32::MAX);
        TriggerWords {
            heads: words.iter().map(|word| head(word.as_bytes())).collect(),
            list: words,
            followers,
            whole: GramTable::new(&whole, whole_bucket),
            short: GramTable::new(&short, |letters| bucket(letters).0),
        }
    }

    /// Calls `found` with each word of the set in a text, and its span, roughly in the order of
    /// positions.
    pub(super) fn for_each_match(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let bytes = text.as_bytes();
        let has: &[u64; BUCKETS] = self
            .followers
            .as_slice()
            .try_into()
            .expect("there are that many buckets");

        // Positions are counted from one byte before the text, where a word at its start may have its
        // substring.
        self.verify_end(bytes, 0, &mut found);

        // Eight bytes are loaded at once. What may be a word is listed first and compared later: a
        // branch for each position would be predicted wrongly too often.
        let mut listed = [0_usize; LISTED_MAX];
        let mut next = STRIDE;
        let rest = bytes.get(1..).unwrap_or_default();
        let mut loads = rest.windows(8).step_by(STRIDE * PLACES_PER_STEP);
        while loads.len() > 0 {
            let mut count = 0;
            for eight in loads.by_ref().take(STEPS_PER_LIST) {
                let eight: [u8; 8] = eight.try_into().expect("there are eight");
                let letters = u64::from_le_bytes(eight) | FOLD;
                for place in 0..PLACES_PER_STEP {
                    listed[count % LISTED_MAX] = next + STRIDE * place;
                    count += usize::from(may_match(has, low_half(letters >> (8 * STRIDE * place))));
                }
                next += STRIDE * PLACES_PER_STEP;
            }

            for &after in &listed[..count] {
                let four = bytes[after - 1..].first_chunk().expect("eight were loaded");
                let letters = fold_case(u32::from_le_bytes(*four));
                self.verify(bytes, letters, after, &mut found);
            }
        }

        for after in (next..=bytes.len()).step_by(STRIDE) {
            self.verify_end(bytes, after, &mut found);
        }
    }

    /// Takes a position at the start or the end of a text, where less than four bytes may be.
    fn verify_end(&self, bytes: &[u8], after: usize, found: &mut impl FnMut(usize, Range<usize>)) {
        let mut four = [0; 4];
        for (at, byte) in (after..).zip(&mut four) {
            let known = at.checked_sub(1).and_then(|at| bytes.get(at));
            *byte = known.copied().unwrap_or_default();
        }
        self.verify(bytes, fold_case(u32::from_le_bytes(four)), after, found);
    }

    /// Takes four bytes of a text, which begin one byte before `after`.
    #[inline(never)]
    fn verify(
        &self,
        bytes: &[u8],
        letters: u32,
        after: usize,
        found: &mut impl FnMut(usize, Range<usize>),
    ) {
        // Not inlined: few positions come here, and the loop around it stays small.
        let whole = self.whole.bucket(whole_bucket(letters)).iter();
        let short = self.short.bucket(bucket(letters).0).iter();
        for four in whole
            .chain(short)
            .filter(|four| letters & four.mask == four.letters & four.mask)
        {
            let Some(start) = after.checked_sub(usize::from(four.offset)) else {
                continue;
            };

            // Most candidates differ at once.
            if let Some(eight) = bytes.get(start..).and_then(<[u8]>::first_chunk) {
                let (letters, mask) = self.heads[usize::from(four.word)];
                if (u64::from_le_bytes(*eight) | FOLD) & mask != letters {
                    continue;
                }
            }

            let word = self.list[usize::from(four.word)].as_bytes();
            if let Some(found_bytes) = bytes.get(start..start + word.len())
                && found_bytes.eq_ignore_ascii_case(word)
            {
                found(usize::from(four.word), start..start + word.len());
            }
        }
    }
}

fn to_u16(number: usize) -> u16 {
    u16::try_from(number).expect("there are some thousand words")
}

fn byte_classes() -> [u8; 256] {
    let mut class = [61; 256];
    for (byte, class) in (0..=u8::MAX).zip(&mut class) {
        *class = match byte {
            byte if byte.is_ascii_alphabetic() => byte.to_ascii_lowercase() - b'a',
            byte if byte.is_ascii_digit() => 26,
            b'\n' => 28,
            byte if byte.is_ascii_whitespace() => 27,
            // Lead bytes of UTF-8: of Cyrillic and its neighbors, and of East Asian scripts.
            0xd0..=0xdf => 63,
            0xe3..=0xef => 62,
            byte => MARKS
                .iter()
                .position(|mark| *mark == byte)
                .map_or(61, |at| 29 + u8::try_from(at).unwrap_or_default()),
        };
    }
    class
}

/// The common substrings with their ranks, sorted: a binary search in a thousand numbers takes a quarter of a hash map's
/// time.
static COMMON_RANKS: LazyLock<Vec<(u32, usize)>> = LazyLock::new(|| {
    let (fours, _) = COMMON.as_bytes().as_chunks::<4>();
    let mut ranks: Vec<(u32, usize)> = fours
        .iter()
        .enumerate()
        .map(|(rank, four)| (u32::from_le_bytes(*four), rank))
        .collect();
    ranks.sort_unstable();
    ranks
});

/// Adds the four bytes of a word that are rarest in other texts: of those at an even offset, and of those at an odd
/// one.
fn add_grams(number: u16, word: &[u8], class: &[u8; 256], grams: &mut Vec<FourGram>) {
    let mut add = |start: usize, letters: [u8; 4], mask: u32| {
        grams.push(FourGram {
            letters: fold_case(u32::from_le_bytes(letters)),
            mask,
            word: number,
            offset: u8::try_from(start).expect("words are short"),
        });
    };
    let padded = |from: usize| {
        let rest = &word[from..word.len().min(from + 4)];
        let mut four = [0; 4];
        four[..rest.len()].copy_from_slice(rest);
        (four, u32::MAX >> (8 * (4 - rest.len())))
    };

    for first in [0, 1] {
        // The rarer the four bytes, the fewer positions are compared in vain.
        let rarest = word
            .windows(4)
            .filter_map(<[u8]>::first_chunk)
            .enumerate()
            .skip(first)
            .step_by(STRIDE)
            .min_by_key(|(_, four)| gram_frequency(**four, class));
        if let Some((at, four)) = rarest {
            add(at + 1, *four, u32::MAX);
        } else if first == 0 || word.len() > 2 {
            let (four, mask) = padded(first);
            add(first + 1, four, mask);
        } else {
            // One byte alone is too frequent, so that the byte before a word of two bytes may be any.
            for before in (0..=u8::MAX).filter(|byte| byte & 0x20 != 0) {
                add(0, [before, word[0], word[1], 0], 0x00ff_ff00);
            }
        }
    }
}

/// Returns the buckets of the last two of four bytes, of which the last, or both, may be any.
fn followers_of(four: &FourGram) -> u64 {
    let ending_in = |last: u32| 1 << bucket(four.letters & 0xff_ffff | last << 24).1;
    match four.mask >> 16 {
        0xffff => 1 << bucket(four.letters).1,
        0xff => (0..=0xff).fold(0, |all, last| all | ending_in(last | 0x20)),
        _ => u64::MAX,
    }
}

/// Returns how frequent four bytes are in other texts, for comparison: by their rank, or as the sum
/// of their bytes.
fn gram_frequency(four: [u8; 4], class: &[u8; 256]) -> usize {
    let letters = u32::from_le_bytes(four);
    if let Ok(at) = COMMON_RANKS.binary_search_by_key(&letters, |(known, _)| *known) {
        return 1_000_000 - COMMON_RANKS[at].1;
    }

    four.iter()
        .map(|byte| usize::from(COMMONNESS[usize::from(class[usize::from(*byte)])]))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_at_any_position_and_in_any_case() {
        let words = TriggerWords::new(vec![
            "curl",
            "''",
            "://4",
            "\nsystem:",
            "| sh",
            "不要",
            "xyzzy",
        ]);
        let rest = "Curl '' x http://45 a\nSYSTEM: b | SH curlcurl 不要 ''.";
        let wanted = [
            (0, "Curl"),
            (0, "curl"),
            (0, "curl"),
            (1, "''"),
            (1, "''"),
            (2, "://4"),
            (3, "\nSYSTEM:"),
            (4, "| SH"),
            (5, "不要"),
        ];
        // Positions are read in steps, so that each word has to be found at each distance from the start and the end.
        for (before, after) in (0..9).flat_map(|before| (0..9).map(move |after| (before, after))) {
            let text = format!("{}{rest}{}", " ".repeat(before), " ".repeat(after));
            let mut found = Vec::new();
            words.for_each_match(&text, |number, range| {
                found.push((number, text[range].to_owned()));
            });
            found.sort();
            assert_eq!(
                found,
                wanted.map(|(number, text)| (number, text.to_owned())),
                "{before}, {after}"
            );
        }
    }

    #[test]
    fn word_that_is_the_whole_text_is_found() {
        let list = vec!["ab", "abc", "abcd", "abcde", "abcdefghij"];
        let words = TriggerWords::new(list.clone());
        for (number, word) in list.iter().enumerate() {
            let mut found = Vec::new();
            words.for_each_match(word, |number, range| found.push((number, range)));
            assert!(
                found.contains(&(number, 0..word.len())),
                "{word}: {found:?}"
            );
        }
        words.for_each_match("", |_, _| panic!("there is nothing"));
        words.for_each_match("a", |_, _| panic!("there is no word"));
    }
}
