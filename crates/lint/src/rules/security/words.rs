//! Looking for a thousand words at once, in any case, about as fast as a text can be read.
//!
//! Of each word the four letters in a row are kept that are rarest in other texts. A text is read once, four letters at a
//! time; where four are some word's, that word is held against the place. An automaton of all words takes megabytes,
//! tens of milliseconds to build, and twice the time to run.

use std::collections::HashMap;
use std::ops::Range;

/// How often a class of bytes occurs, in a thousand: where four letters are not among [`COMMON`], the sum says how rare
/// they are.
const COMMONNESS: [u16; CLASSES] = [
    52, 8, 30, 25, 83, 13, 14, 15, 50, 1, 5, 29, 19, 48, 47, 23, 2, 48, 49, 63, 20, 8, 7, 4, 10, 1, 10, 164, 29, 4, 15,
    10, 4, 7, 1, 7, 3, 10, 4, 1, 1, 1, 5, 5, 2, 2, 2, 2, 3, 1, 9, 5, 8, 2, 1, 1, 1, 1, 1, 1, 1, 9, 1, 1,
];
/// Of all four letters in a row of words that were looked for, those that occur most, counted in a thousand files of some
/// four hundred skills; the most frequent first. What is not up to date here costs time, and no finding.
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
/// Marks that have a class of their own, after the letters, figures, blanks and line ends.
const MARKS: &[u8] = b"_-./:\\\"'`|<>$(){}[]=+*#,;!?@&%^~";
/// How many places there are in eight letters at which four begin.
const PLACES: usize = 5;
/// How many sorts of two letters are told apart where a place is looked at.
const SORTS: usize = 4096;

/// A set of words.
pub(super) struct Words {
    list: Vec<&'static str>,
    /// For each sort of two letters, the sorts of two (one in 64) that follow them in the four of some word.
    has: Vec<u64>,
    /// For each sort of two letters, where in `fours` those are that begin with them.
    starts: Vec<u16>,
    fours: Vec<Four>,
}

/// Four letters in a row of a word, in one number, [folded].
#[derive(Clone, Copy)]
struct Four {
    letters: u32,
    /// Which bits of them count: a word may have less than four.
    mask: u32,
    /// The word, and how far into it they stand.
    word: u16,
    offset: u8,
}

/// Letters alike in both cases; so are some other characters, which matters little.
#[inline]
fn folded(letters: u32) -> u32 {
    letters | 0x2020_2020
}

/// The first four of eight letters.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the others are looked at later")]
fn low_half(letters: u64) -> u32 {
    letters as u32
}

/// The sort of the first two letters, and that of the two after them.
#[inline]
fn sorts(letters: u32) -> (usize, u32) {
    let first = (letters & 0xffff).wrapping_mul(0x9e37_79b1) >> 20;
    (first as usize, ((letters >> 16) ^ (letters >> 21)) & 63)
}

impl Words {
    /// Makes a set of words in lower case, each of two letters at least.
    pub(super) fn new(words: Vec<&'static str>) -> Self {
        let class = classes();
        let common = common();
        let fours =
            words.iter().enumerate().map(|(number, word)| rarest(small(number), word.as_bytes(), &class, &common));
        let mut fours: Vec<Four> = fours.collect();
        fours.sort_by_key(|four| sorts(four.letters).0);
        let mut has = vec![0; SORTS];
        for four in &fours {
            let (first, second) = sorts(four.letters);
            has[first] |= match four.mask {
                0xffff => u64::MAX,
                0xff_ffff => (0..=0xff).fold(0, |all, last| all | 1 << sorts(folded(four.letters | last << 24)).1),
                _ => 1 << second,
            };
        }
        let start = |sort: usize| small(fours.partition_point(|four| sorts(four.letters).0 < sort));
        let starts = (0..=SORTS).map(start).collect();
        Words { list: words, has, starts, fours }
    }

    /// Calls `found` with each word of the set in a text, and where it stands, about in the order of places.
    pub(super) fn each_in(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let bytes = text.as_bytes();
        let has: &[u64; SORTS] = self.has.as_slice().try_into().expect("it has so many");
        let mut look = |at: usize, letters: u32| {
            let (first, second) = sorts(letters);
            if has[first] >> second & 1 == 1 {
                self.verify(bytes, letters, at, &mut found);
            }
        };
        // Eight letters are taken up at once, for the five places at which four of them begin.
        let mut next = 0;
        for eight in bytes.windows(8).step_by(PLACES) {
            let eight: [u8; 8] = eight.try_into().expect("there are eight");
            let letters = u64::from_le_bytes(eight) | 0x2020_2020_2020_2020;
            for place in 0..PLACES {
                look(next + place, low_half(letters >> (8 * place)));
            }
            next += PLACES;
        }
        // The last places, at which less than four may be left.
        for at in next..bytes.len() {
            let rest = &bytes[at..bytes.len().min(at + 4)];
            let mut four = [0; 4];
            four[..rest.len()].copy_from_slice(rest);
            look(at, folded(u32::from_le_bytes(four)));
        }
    }

    #[inline(never)]
    fn verify(&self, bytes: &[u8], letters: u32, at: usize, found: &mut impl FnMut(usize, Range<usize>)) {
        let sort = sorts(letters).0;
        let same = &self.fours[usize::from(self.starts[sort])..usize::from(self.starts[sort + 1])];
        for four in same.iter().filter(|four| letters & four.mask == four.letters & four.mask) {
            let word = self.list[usize::from(four.word)].as_bytes();
            let Some(start) = at.checked_sub(usize::from(four.offset)) else { continue };
            let Some(there) = bytes.get(start..start + word.len()) else { continue };
            // Most places differ at once.
            if there[0].eq_ignore_ascii_case(&word[0]) && there.eq_ignore_ascii_case(word) {
                found(usize::from(four.word), start..start + word.len());
            }
        }
    }
}

fn small(number: usize) -> u16 {
    u16::try_from(number).expect("there are some thousand words")
}

fn classes() -> [u8; 256] {
    let mut class = [61; 256];
    for (byte, class) in (0..=u8::MAX).zip(&mut class) {
        *class = match byte {
            byte if byte.is_ascii_alphabetic() => byte.to_ascii_lowercase() - b'a',
            byte if byte.is_ascii_digit() => 26,
            b'\n' => 28,
            byte if byte.is_ascii_whitespace() => 27,
            // First bytes of letters: of Cyrillic and its neighbours, of the East.
            0xd0..=0xdf => 63,
            0xe3..=0xef => 62,
            byte => {
                MARKS.iter().position(|mark| *mark == byte).map_or(61, |at| 29 + u8::try_from(at).unwrap_or_default())
            }
        };
    }
    class
}

/// The places of common letters in their list.
fn common() -> HashMap<&'static [u8], usize> {
    COMMON.as_bytes().chunks_exact(4).enumerate().map(|(at, four)| (four, at)).collect()
}

/// The four letters of a word that are rarest in other texts.
fn rarest(number: u16, word: &[u8], class: &[u8; 256], common: &HashMap<&'static [u8], usize>) -> Four {
    let often = |four: &[u8]| -> usize {
        let sum = || four.iter().map(|byte| usize::from(COMMONNESS[usize::from(class[usize::from(*byte)])])).sum();
        common.get(four).map_or_else(sum, |rank| 1_000_000 - rank)
    };
    let best = word.windows(4).enumerate().min_by_key(|(_, four)| often(four)).map_or(0, |(at, _)| at);
    let mut four = [0; 4];
    let length = word.len().min(4);
    four[..length].copy_from_slice(&word[best..best + length]);
    let mask = u32::MAX >> (8 * (4 - length));
    let offset = u8::try_from(best).expect("words are short");
    Four { letters: folded(u32::from_le_bytes(four)), mask, word: number, offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_wherever_it_stands_and_in_any_case() {
        let words = Words::new(vec!["curl", "''", "://4", "\nsystem:", "| sh", "不要", "xyzzy"]);
        let text = "Curl '' x http://45 a\nSYSTEM: b | SH curlcurl 不要 ''.";
        let mut found = Vec::new();
        words.each_in(text, |number, range| found.push((number, text[range].to_owned())));
        found.sort();
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
        assert_eq!(found, wanted.map(|(number, text)| (number, text.to_owned())));
    }
}
